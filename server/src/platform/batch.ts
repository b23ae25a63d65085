/** A slow batch must not hold up more callers than this. */
const maxBatchSize = 50;

/**
 * Batches the calls made in one event-loop turn into one load (the DataLoader pattern, without a cache). For loads that
 * cost nearly the same for one key as for many. A lone call is delayed by at most one `setImmediate`.
 */
export function createBatcher<Key, Value>(
  load: (keys: readonly Key[]) => Promise<readonly Value[]>,
): (key: Key) => Promise<Value> {
  let open: { readonly keys: Key[]; readonly values: Promise<readonly Value[]> } | null = null;

  function openBatch() {
    const keys: Key[] = [];
    const values = new Promise<void>((resolve) => void setImmediate(resolve)).then(() => {
      // Calls from here on join the next batch. A full batch was replaced before its turn ended.
      if (open?.keys === keys) open = null;
      return load(keys);
    });
    return { keys, values };
  }

  return async (key) => {
    if (open && open.keys.length >= maxBatchSize) open = null;
    const { keys, values } = (open ??= openBatch());
    const position = keys.push(key) - 1;
    return (await values)[position] as Value;
  };
}

/** A batcher for each database: what is read in one batch is read from one place. */
export function createBatcherOn<Db extends object, Key, Value>(
  load: (db: Db, keys: readonly Key[]) => Promise<readonly Value[]>,
): (db: Db, key: Key) => Promise<Value> {
  const batchers = new WeakMap<Db, (key: Key) => Promise<Value>>();
  return (db, key) => {
    let batch = batchers.get(db);
    if (!batch) batchers.set(db, (batch = createBatcher((keys) => load(db, keys))));
    return batch(key);
  };
}
