// Foreign text as a reader may safely see it: characters that would move, hide or turn the text around are told apart,
// to be shown as their code points. Pure.

export interface TextPart { text: string; isCode: boolean }

// Controls, direction changes, separators that end lines, invisible tags, half characters.
function isShownAsCode(c: number): boolean {
  if (c === 0x0a || c === 0x09) return false;
  return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c === 0x061c || c === 0x200e || c === 0x200f || (c >= 0x202a && c <= 0x202e) ||
    (c >= 0x2066 && c <= 0x2069) || c === 0x2028 || c === 0x2029 || c === 0xfeff || (c >= 0xd800 && c <= 0xdfff) || (c >= 0xe0000 && c <= 0xe007f);
}

export const codePointName = (c: number): string => `U+${c.toString(16).toUpperCase().padStart(4, '0')}`;

export function textParts(foreign: string): TextPart[] {
  const parts: TextPart[] = [];
  let plain = '';
  const flush = (): void => {
    if (plain) parts.push({ text: plain, isCode: false });
    plain = '';
  };
  const text = foreign.replaceAll('\r\n', '\n');
  for (const character of text) {
    const c = character.codePointAt(0) ?? 0;
    if (isShownAsCode(c)) {
      flush();
      parts.push({ text: codePointName(c), isCode: true });
    } else {
      plain += character;
    }
  }
  flush();
  return parts;
}

// For attributes, titles and other places that hold no markup.
export const plainText = (foreign: string): string => textParts(foreign).map(({ text }) => text).join('');

// The first characters, never half of one.
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = /[\ud800-\udbff]/.test(text[most - 1] ?? '') ? most - 1 : most;
  return text.slice(0, end);
}
