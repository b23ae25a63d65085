/** A binary heap: the value with the lowest key first. */
export interface Heap<T> {
  push(key: number, value: T): void;
  pop(): T | undefined;
  /** Infinity if it is empty. */
  nextKey(): number;
}

export function createHeap<T>(): Heap<T> {
  const entries: { readonly key: number; readonly value: T }[] = [];
  const keyAt = (place: number) => entries[place]?.key ?? Infinity;
  const swap = (one: number, other: number) => {
    const [a, b] = [entries[one], entries[other]];
    if (a && b) [entries[one], entries[other]] = [b, a];
  };
  return {
    push(key, value) {
      let place = entries.push({ key, value }) - 1;
      for (let parent = (place - 1) >> 1; place > 0 && keyAt(parent) > key; parent = (place - 1) >> 1) {
        swap(place, parent);
        place = parent;
      }
    },
    pop() {
      swap(0, entries.length - 1);
      const top = entries.pop();
      for (let place = 0; ;) {
        const [left, right] = [2 * place + 1, 2 * place + 2];
        const lower = keyAt(right) < keyAt(left) ? right : left;
        if (keyAt(lower) >= keyAt(place)) break;
        swap(place, lower);
        place = lower;
      }
      return top?.value;
    },
    nextKey: () => keyAt(0),
  };
}
