// Comfort only: the page reads completely without it. Sorts and filters tables, opens cards, copies the command.
'use strict';
for (const table of document.querySelectorAll('table.sortable')) {
  const body = table.tBodies[0];
  if (!body || body.rows.length < 2) continue;
  const original = [...body.rows];
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'sort';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const next = { none: 'descending', descending: 'ascending', ascending: 'none' }[head.getAttribute('aria-sort') || 'none'];
      for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
      if (next === 'none') {
        body.append(...original);
        return;
      }
      head.setAttribute('aria-sort', next);
      const sign = next === 'ascending' ? 1 : -1;
      const key = row => {
        const cell = row.cells[column];
        if (!cell) return '';
        return cell.dataset.sort !== undefined ? cell.dataset.sort : cell.textContent.trim();
      };
      const rows = original.map(row => [key(row), row]);
      const numeric = rows.every(([value]) => value === '' || !Number.isNaN(Number(value)));
      rows.sort(([a], [b]) => {
        if (a === '' || b === '') return (a === '') - (b === '');  // undefined last, whatever the direction
        return sign * (numeric ? Number(a) - Number(b) : a.localeCompare(b));
      });
      body.append(...rows.map(([, row]) => row));
    });
  });
}
for (const label of document.querySelectorAll('label.filter')) {
  const table = label.nextElementSibling.querySelector('table');
  label.hidden = false;
  label.querySelector('input').addEventListener('input', event => {
    const wanted = event.target.value.trim().toLowerCase();
    for (const row of table.tBodies[0].rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
}
// A table that is wider than its place says so, since its border hides it well.
for (const box of document.querySelectorAll('.scroll')) {
  const hint = document.createElement('p');
  hint.className = 'note sideways';
  hint.textContent = 'Scroll sideways for more columns →';
  hint.hidden = true;
  const before = box.previousElementSibling;
  (before && before.matches('label.filter') ? before : box).before(hint);
  new ResizeObserver(() => { hint.hidden = box.scrollWidth <= box.clientWidth + 1; }).observe(box);
}
for (const button of document.querySelectorAll('[data-open-all]')) {
  button.hidden = false;
  button.addEventListener('click', () => {
    const cards = [...document.querySelectorAll('details.case')];
    const open = cards.some(card => !card.open);
    for (const card of cards) card.open = open;
    button.textContent = open ? 'Close all' : 'Open all';
  });
}
for (const button of document.querySelectorAll('[data-copy]')) {
  if (!navigator.clipboard) break;
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.previousElementSibling.textContent);
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  });
}
addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('details')) details.open = true;
});
