import type { PrivacyPart } from '../privacy/privacy.registry.ts';
import type { StandingService } from './standing.service.ts';

export function standingPrivacy(standing: StandingService): PrivacyPart {
  return {
    feature: 'standing',
    tables: ['content.suspensions'],
    export: async ({ person }) => ({ suspendedUntil: await standing.suspendedUntil(person) }),
    erase: ({ person }) => standing.suspend(person, null),
  };
}
