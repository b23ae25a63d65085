/**
 * What a list holds, a page at a time: each begins after the last row of the one before, when that is done. One that is not
 * full is the last; the first may be empty.
 */
export async function* inPages<Row, Cursor>(
  size: number,
  {
    from,
    list,
    cursorOf,
  }: {
    readonly from: Cursor;
    readonly list: (after: Cursor) => Promise<Row[]>;
    readonly cursorOf: (row: Row) => Cursor;
  },
): AsyncGenerator<Row[]> {
  for (let after = from; ;) {
    const rows = await list(after);
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < size) return;
    after = cursorOf(last);
  }
}
