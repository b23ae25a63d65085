import type { PrivacyPart } from '../privacy/privacy.registry.ts';
import type { ChoicesService } from './choices.service.ts';

export function choicesPrivacy(choices: ChoicesService): PrivacyPart {
  return {
    feature: 'hiddenAndMuted',
    tables: ['identity.choices', 'content.shut_outs'],
    rewriteNightly: ['identity.choices'],
    async export({ userId }) {
      const { hidden, names, mutes } = await choices.list({ userId });
      return { hidden, names: names.map(({ username }) => username ?? 'Anonymous'), ...mutes };
    },
    // Choices go with the user row, by cascade. Closings go with the vents that are closed.
    erase: async () => {},
  };
}
