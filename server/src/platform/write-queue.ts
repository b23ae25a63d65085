/** A longer batch would hold its locks for too long. */
const maxBatchSize = 100;

/**
 * Group commit for writes to one row. One batch of a key runs at a time, and the calls that arrive meanwhile form the
 * next one. So under contention they wait together, not one after another for the row's lock. A lone call runs at once.
 * An error fails all calls of its batch.
 */
export function createWriteQueue<Key, Item, Result>(
  write: (key: Key, items: readonly Item[]) => Promise<Result>,
): (key: Key, item: Item) => Promise<Result> {
  /** The batch that has not begun, by key. */
  const waiting = new Map<Key, { readonly items: Item[]; readonly result: Promise<Result> }>();
  /** Settles when all batches of the key have ended. */
  const tails = new Map<Key, Promise<void>>();

  function append(key: Key) {
    const items: Item[] = [];
    const result = (tails.get(key) ?? Promise.resolve()).then(() => {
      // A full batch was replaced before it began.
      if (waiting.get(key)?.items === items) waiting.delete(key);
      return write(key, items);
    });
    const tail = result.then(
      () => {},
      () => {},
    );
    tails.set(key, tail);
    void tail.then(() => {
      if (tails.get(key) === tail) tails.delete(key);
    });
    const batch = { items, result };
    waiting.set(key, batch);
    return batch;
  }

  return (key, item) => {
    const open = waiting.get(key);
    const batch = open && open.items.length < maxBatchSize ? open : append(key);
    batch.items.push(item);
    return batch.result;
  };
}
