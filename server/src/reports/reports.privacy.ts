import type { PrivacyPart } from '../privacy/privacy.registry.ts';

/** The key of a report can be computed from the account's author seed only. Without the account, it leads to no person. */
export function reportsPrivacy(): PrivacyPart {
  return {
    feature: 'reports',
    tables: ['content.reports'],
    export: async () =>
      'What you reported is kept for 90 days, each under a key of its own, so there is no list of yours. When you delete your account, nobody can tell any more that they were yours, not even we.',
    erase: async () => {},
  };
}
