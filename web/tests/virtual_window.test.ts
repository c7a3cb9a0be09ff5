import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barHeight, moved, mostHeight, placeAt, rowsIn, showing, type Extent, type Place } from '../src/tables/virtual_window';

const short: Extent = { rows: 100, rowHeight: 40, viewHeight: 400 };
const million: Extent = { rows: 1_000_000, rowHeight: 44, viewHeight: 600 };
const visible = (place: Place, extent: Extent): [number, number] => {
  const { first, end } = rowsIn(place, extent, 0);
  return [first, end];
};

test('a short table shows the rows at its bar, with some spare', () => {
  assert.deepEqual(visible(placeAt(0, short), short), [0, 10]);
  assert.deepEqual(visible(moved(placeAt(0, short), 2000, short), short), [50, 60]);
  assert.deepEqual(rowsIn(placeAt(2000, short), short, 8), { first: 42, end: 68, top: 1680 });
  assert.deepEqual(visible(moved(placeAt(0, short), 1e9, short), short), [90, 100]);
});

test('a million rows fit a bar that a browser can make, and its end is the end', () => {
  assert.equal(barHeight(million), mostHeight);
  const end = moved(placeAt(0, million), mostHeight - million.viewHeight, million);
  assert.equal(visible(end, million)[1], 1_000_000);
  const middle = moved(placeAt(0, million), (mostHeight - million.viewHeight) / 2, million);
  assert.ok(Math.abs(visible(middle, million)[0] - 500_000) < 20);
});

test('a small move goes by rows, not by shares of the table, and the bar is set right when it rests', () => {
  const start = placeAt(500_000 * 44, million);
  const next = moved(start, start.barTop + 88, million);
  assert.equal(visible(next, million)[0], 500_002);
  const rested = placeAt(next.tableTop, million);
  assert.equal(rested.tableTop, next.tableTop);
  assert.deepEqual(visible(rested, million), visible(next, million));
});

test('from row to row every row can be reached, the last one too', () => {
  let place = placeAt(0, million);
  for (const row of [0, 1, 20, 999_999, 999_998, 0]) {
    place = showing(row, place, million);
    const [first, end] = visible(place, million);
    assert.ok(first <= row && row < end, `${row} in ${first}…${end}`);
  }
});

test('what is drawn stands where the bar is', () => {
  for (const top of [0, 1e6, 21e6, 44e6 - 600]) {
    const place = placeAt(top, million);
    const { first, top: drawn } = rowsIn(place, million);
    assert.ok(Math.abs(drawn + (place.tableTop - first * 44) - place.barTop) < 1e-6);
    assert.ok(place.barTop <= mostHeight - million.viewHeight);
  }
});
