// The reader's name, under which answers are kept: asked once, for this tab.
const key = 'assay-person';
export const person = (): string => sessionStorage.getItem(key) ?? '';
export const setPerson = (name: string): void => sessionStorage.setItem(key, name);
