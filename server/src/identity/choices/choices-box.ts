import { createKeyAead } from '../../platform/crypto/aead.ts';
import type { Keys } from '../../platform/crypto/keys.ts';
import { padToMultiple } from '../../platform/padding.ts';
import { noChoices, type Choices } from '../../kernel/choices.ts';

/** Encrypts a person's choices, bound to their row. Padded to steps of 1 kB, so that the length tells little. */
export interface ChoicesBox {
  seal(userId: bigint, choices: Choices): Buffer;
  /** None for a row that was changed, or belongs to somebody else. */
  open(userId: bigint, sealed: Buffer): Choices;
}

const stepBytes = 1024;
/** Nonce and tag, which are part of the row's length. */
const overheadBytes = 28;

/** The additional data: a row opens for its owner alone. */
export const boundTo = (userId: bigint | string) => Buffer.from(String(userId));

export function createChoicesBox(keys: Keys): ChoicesBox {
  const aead = createKeyAead(keys, 'choices/1');
  return {
    seal(userId, choices) {
      const padded = padToMultiple(JSON.stringify(choices), stepBytes, overheadBytes);
      return aead.seal(Buffer.from(padded), boundTo(userId));
    },
    open(userId, sealed) {
      const plain = aead.open(sealed, boundTo(userId));
      if (!plain) return noChoices;
      // A list that a later release added is missing in older rows.
      return { ...noChoices, ...(JSON.parse(plain.toString()) as Choices) };
    },
  };
}
