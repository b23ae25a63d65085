import type { PrivacyPart } from '../../kernel/privacy-registry.ts';

/** The key of a reaction can be computed from the account's author seed only. Without the account, it leads to no person. */
export function reactionsPrivacy(): PrivacyPart {
  return {
    feature: 'reactions',
    tables: ['content.reactions'],
    erases: 'words',
    export: async () =>
      'Each is kept under a key of its own, so there is no list of yours. When you delete your account, nobody can tell any more that they were yours, not even we.',
    erase: async () => {},
  };
}
