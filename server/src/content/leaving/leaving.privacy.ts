import type { PrivacyPart } from '../../kernel/privacy-registry.ts';
import type { LeavingService } from './leaving.ts';

export function leavingPrivacy(leaving: LeavingService): PrivacyPart {
  return {
    feature: 'leaving',
    tables: ['content.leavings'],
    erases: 'words',
    export: async () =>
      'Nothing, as long as you are here. If you delete your account and have your words removed, one encrypted ticket says which are to go and over what time.',
    erase: ({ person }, { removeWords }) => leaving.leave(person, removeWords),
  };
}
