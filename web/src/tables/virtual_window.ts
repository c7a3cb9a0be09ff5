// Which rows of a very long table stand in its window. A browser cannot make an element as high as a million rows, so
// beyond a height the bar is a map of the table: a jump lands at the share of the table that it points at, a small move
// goes by real pixels, and when the hand rests the bar is set back to where the map says. Pure.

export interface Extent { rows: number; rowHeight: number; viewHeight: number }
export interface Place { barTop: number; tableTop: number }  // pixels on the bar, and of the whole table

export const mostHeight = 8_000_000;

export const tableHeight = ({ rows, rowHeight }: Extent): number => rows * rowHeight;
export const barHeight = (extent: Extent): number => Math.min(tableHeight(extent), mostHeight);
const barRoom = (extent: Extent): number => Math.max(0, barHeight(extent) - extent.viewHeight);
const tableRoom = (extent: Extent): number => Math.max(0, tableHeight(extent) - extent.viewHeight);
const clamp = (value: number, most: number): number => Math.min(Math.max(0, value), most);

// The bar's place for a place in the table.
export function placeAt(tableTop: number, extent: Extent): Place {
  const top = clamp(tableTop, tableRoom(extent));
  const share = tableRoom(extent) > 0 ? top / tableRoom(extent) : 0;
  return { tableTop: top, barTop: tableHeight(extent) <= mostHeight ? top : share * barRoom(extent) };
}

// After the bar was moved to `barTop`.
export function moved(from: Place, barTop: number, extent: Extent): Place {
  if (tableHeight(extent) <= mostHeight) return { barTop, tableTop: clamp(barTop, tableRoom(extent)) };
  const step = barTop - from.barTop;
  const isJump = Math.abs(step) > extent.viewHeight * 3 || barTop <= 0 || barTop >= barRoom(extent);
  const tableTop = isJump && Math.abs(step) > extent.viewHeight ? (barTop / barRoom(extent)) * tableRoom(extent) : from.tableTop + step;
  return { barTop, tableTop: clamp(tableTop, tableRoom(extent)) };
}

// Rows [first, end) that are to be drawn, some more than can be seen; `top` is the first one's place on the bar.
export function rowsIn(place: Place, extent: Extent, spare = 8): { first: number; end: number; top: number } {
  const { rows, rowHeight, viewHeight } = extent;
  const first = Math.max(0, Math.floor(place.tableTop / rowHeight) - spare);
  const end = Math.min(rows, Math.ceil((place.tableTop + viewHeight) / rowHeight) + spare);
  return { first: Math.min(first, end), end, top: first * rowHeight - place.tableTop + place.barTop };
}

// The place from which row `row` can be seen whole, moving as little as possible.
export function showing(row: number, place: Place, extent: Extent): Place {
  const top = row * extent.rowHeight;
  if (top < place.tableTop) return placeAt(top, extent);
  if (top + extent.rowHeight > place.tableTop + extent.viewHeight) return placeAt(top + extent.rowHeight - extent.viewHeight, extent);
  return place;
}
