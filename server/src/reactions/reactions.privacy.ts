import type { PrivacyPart } from '../privacy/privacy.registry.ts';

/** Each reaction stands under a key of its own, so not even we can list somebody's. */
export function reactionsPrivacy(): PrivacyPart {
  return {
    feature: 'reactions',
    tables: ['content.reactions'],
    export: async () => 'Kept under a key that differs on every vent: nobody can list yours, not even we.',
    erase: async () => {},
  };
}
