import type { PrivacyPart } from '../privacy/privacy.registry.ts';

export function reportsPrivacy(): PrivacyPart {
  return {
    feature: 'reports',
    tables: ['content.reports'],
    export: async () =>
      'What you reported is kept for 90 days under a key that differs on every vent: nobody can list yours, not even we.',
    erase: async () => {},
  };
}
