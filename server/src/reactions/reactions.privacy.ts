import type { PrivacyPart } from '../privacy/privacy.registry.ts';

/** Each stands under a key that only the account's seed can make again: with the account gone, they are nobody's. */
export function reactionsPrivacy(): PrivacyPart {
  return {
    feature: 'reactions',
    tables: ['content.reactions'],
    export: async () =>
      'Each is kept under a key of its own, so there is no list of yours. When you delete your account, nobody can tell any more that they were yours, not even we.',
    erase: async () => {},
  };
}
