// A sheet for labels that works from a file: one case after the other, by keys or buttons. What was said is
// kept in this browser and saved as the labels file that `human` reads. Everything from the data is text.
(() => {
  const sheet = JSON.parse(document.getElementById('sheet-data').textContent);
  const at = (id) => document.getElementById(id);
  const made = (tag, text, kind) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (kind) element.className = kind;
    return element;
  };
  const key = `assay-labels ${sheet.mark}`;
  let state = { labels: {}, place: 0, person: '' };
  let kept = true;
  try {
    const found = JSON.parse(localStorage.getItem(key) ?? 'null');
    if (found && typeof found.labels === 'object') state = { ...state, ...found };
  } catch {
    kept = false;
  }
  const keep = () => {
    try {
      localStorage.setItem(key, JSON.stringify(state));
    } catch {
      kept = false;
    }
  };
  const { tasks, choices } = sheet;
  const clamp = (place) => Math.max(0, Math.min(tasks.length - 1, place));
  state.place = clamp(Number.isInteger(state.place) ? state.place : 0);
  const done = () => tasks.filter(({ id }) => id in state.labels).length;
  // Read before the first label, and folded from then on.
  const rules = at('rules');
  if (rules) rules.open = done() === 0;

  const show = () => {
    const task = tasks[state.place];
    at('where').textContent = `Case ${state.place + 1} of ${tasks.length}, ${done()} labelled`;
    at('bar').value = done();
    at('asked').textContent = task.asked ?? sheet.asked;
    at('kept').textContent = kept ? 'Kept in this browser as you go.' : 'This browser keeps nothing: save before you close the page.';
    const material = at('material');
    material.replaceChildren();
    for (const [name, text] of task.material) {
      const part = made('section');
      part.append(made('h2', name), made('pre', text));
      material.append(part);
    }
    for (const button of at('choices').children)
      button.setAttribute('aria-pressed', String(state.labels[task.id] === Number(button.dataset.value)));
    at('back').disabled = state.place === 0;
    at('on').disabled = state.place === tasks.length - 1;
  };
  const go = (place) => {
    state.place = clamp(place);
    keep();
    show();
    window.scrollTo(0, 0);
  };
  const say = (value) => {
    state.labels[tasks[state.place].id] = value;
    if (rules && done() === 1) rules.open = false;
    // On to the next one that has no label yet.
    for (let step = 1; step <= tasks.length; ++step) {
      const place = (state.place + step) % tasks.length;
      if (!(tasks[place].id in state.labels)) return go(place);
    }
    go(state.place);
  };
  const take_back = () => {
    delete state.labels[tasks[state.place].id];
    go(state.place);
  };

  const cell = (value) => {
    const text = String(value);
    return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const csv = () => {
    const person = state.person.trim();
    const rows = [['id', 'probability', ...(person ? [`by ${person}`] : []), 'drawn', 'label']];
    for (const { id, probability } of tasks) {
      const label = id in state.labels ? state.labels[id] : '';
      rows.push([id, probability, ...(person ? [label] : []), sheet.drawn, label]);
    }
    return rows.map((row) => row.map(cell).join(',') + '\r\n').join('');
  };
  const save = () => {
    const link = made('a');
    link.href = URL.createObjectURL(new Blob([csv()], { type: 'text/csv' }));
    link.download = sheet.file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  };

  for (const { value, words, press } of choices) {
    const button = made('button');
    button.type = 'button';
    button.dataset.value = value;
    button.append(made('kbd', press), document.createTextNode(` ${words}`));
    button.addEventListener('click', () => say(value));
    at('choices').append(button);
  }
  at('bar').max = tasks.length;
  at('person').value = state.person;
  at('person').addEventListener('input', (event) => {
    state.person = event.target.value;
    keep();
  });
  at('back').addEventListener('click', () => go(state.place - 1));
  at('on').addEventListener('click', () => go(state.place + 1));
  at('undo').addEventListener('click', take_back);
  at('save').addEventListener('click', save);
  document.addEventListener('keydown', (event) => {
    if (event.target.tagName === 'INPUT' || event.ctrlKey || event.metaKey || event.altKey) return;
    const choice = choices.find(({ press }) => press === event.key.toLowerCase());
    const other = { ArrowLeft: () => go(state.place - 1), ArrowRight: () => go(state.place + 1), Backspace: take_back, s: save }[event.key];
    if (choice === undefined && other === undefined) return;
    event.preventDefault();
    if (choice) {
      if (!event.repeat) say(choice.value);  // a key that is held labels one case, not the rest of the sheet
    } else {
      other();
    }
  });
  show();
})();
