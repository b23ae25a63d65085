import { blockBytes, createBlock } from '../platform/crypto/block.ts';
import type { LastingLabel } from '../platform/crypto/key-labels.ts';
import type { Keys } from '../platform/crypto/keys.ts';
import { createPublicId } from '../platform/crypto/public-id.ts';

/** A comment, by its number within its vent; number 0 is the vent itself. */
export interface CommentId {
  readonly ventId: bigint;
  readonly no: number;
}

/** A vent or comment as one AES block. */
export function createItemCodec(keys: Keys, label: LastingLabel) {
  const block = createBlock(keys.of(label));
  return {
    /** One after the other. */
    encode(...items: readonly CommentId[]): Buffer {
      const plain = Buffer.alloc(items.length * blockBytes);
      for (const [n, { ventId, no }] of items.entries()) {
        plain.writeBigInt64BE(ventId, n * blockBytes);
        plain.writeUInt32BE(no, n * blockBytes + 8);
      }
      return block.encrypt(plain);
    },
    /** Null for anything that this codec did not encode; a forgery passes with a probability of 2^-32. */
    decode(bytes: Buffer): CommentId | null {
      if (bytes.length !== blockBytes) return null;
      const plain = block.decrypt(bytes);
      return plain.readUInt32BE(12) === 0
        ? { ventId: plain.readBigInt64BE(), no: plain.readUInt32BE(8) }
        : null;
    },
  };
}

/** The ids that clients see. Each kind has a key of its own, so an id of one kind does not decode as another. */
export type PublicIds = ReturnType<typeof createPublicIds>;

export function createPublicIds(keys: Keys) {
  const comment = createItemCodec(keys, 'id-comment/2');
  return {
    user: createPublicId(keys, 'id-user/1'),
    session: createPublicId(keys, 'id-session/1'),
    vent: createPublicId(keys, 'id-vent/1'),
    comment: {
      encode: (id: CommentId) => comment.encode(id).toString('base64url'),
      decode(text: string) {
        const bytes = Buffer.from(text, 'base64url');
        // Only the canonical spelling is accepted.
        return bytes.toString('base64url') === text ? comment.decode(bytes) : null;
      },
    },
    /** Shown in place of a vent's author. It belongs to that vent alone. */
    alias: createPublicId(keys, 'id-alias/1'),
    match: createPublicId(keys, 'id-match/1'),
    /** The other person of a pair, for these two people alone. It ends with the pair. */
    peer: createPublicId(keys, 'id-peer/1'),
    notice: createPublicId(keys, 'id-notice/1'),
  };
}

/** No row has this id. */
const noVent = -1n;

/** A forged id becomes one that no row has, so that it takes the same path as an unknown id. */
export function openVentId(publicIds: PublicIds, sealedId: string): bigint {
  return publicIds.vent.decode(sealedId) ?? noVent;
}
