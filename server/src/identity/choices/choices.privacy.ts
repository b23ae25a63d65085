import type { PrivacyPart } from '../../kernel/privacy-registry.ts';
import type { PublicIds } from '../../kernel/public-ids.ts';
import type { ChoicesStore } from './choices.ts';
import { choicesView } from './choices.view.ts';

export function choicesPrivacy(choices: ChoicesStore, publicIds: PublicIds): PrivacyPart {
  return {
    feature: 'hiddenAndMuted',
    tables: ['identity.choices'],
    erases: 'account',
    async export({ userId }) {
      const { hidden, names, mutes } = choicesView(await choices.find(userId), publicIds);
      return { hidden, names: names.map(({ username }) => username ?? 'Anonymous'), ...mutes };
    },
    // Deleted with the user row, by cascade.
    erase: async () => {},
  };
}
