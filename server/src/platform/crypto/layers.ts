import { createBlock, type Block } from './block.ts';
import type { LayeredColumn } from './key-labels.ts';
import { hmac, perGeneration, type Keys } from './keys.ts';

/**
 * The layers around values that are found by equality (`key-labels.ts`). Each replacement of a leaked key adds one. Without
 * a leak there is none, and values pass as they are.
 */
export interface Layers {
  /** For one AES block, or several one after the other. */
  addToBlocks(column: LayeredColumn, blocks: Buffer): Buffer;
  removeFromBlocks(column: LayeredColumn, blocks: Buffer): Buffer;
  /** For a hash, which needs no way back. Of the same length. */
  addToHash(column: LayeredColumn, value: Buffer): Buffer;
}

export const createLayers = (keys: Keys): Layers => layersBy(keys, (column) => keys.layers(column));

/** Those that a replacement adds to what is stored. */
export function createAddedLayers(before: Keys, after: Keys): Layers {
  return layersBy(after, (column) => after.layers(column).slice(before.layers(column).length));
}

function layersBy(
  keys: Pick<Keys, 'generation'>,
  keysOf: (column: LayeredColumn) => readonly Buffer[],
): Layers {
  const cached = perGeneration(
    keys,
    () => new Map<LayeredColumn, { keys: readonly Buffer[]; blocks: readonly Block[] }>(),
  );
  function of(column: LayeredColumn) {
    const known = cached().get(column);
    if (known) return known;
    const found = keysOf(column);
    const made = { keys: found, blocks: found.map(createBlock) };
    cached().set(column, made);
    return made;
  }
  return {
    addToBlocks: (column, blocks) => of(column).blocks.reduce((value, layer) => layer.encrypt(value), blocks),
    removeFromBlocks: (column, blocks) =>
      of(column).blocks.reduceRight((value, layer) => layer.decrypt(value), blocks),
    addToHash: (column, value) =>
      of(column).keys.reduce((hash, key) => hmac(key, hash).subarray(0, value.length), value),
  };
}
