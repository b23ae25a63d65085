import type { PrivacyPart } from '../../kernel/privacy-registry.ts';
import type { ContentContext } from '../context.ts';
import { leave } from './leaving.ts';

export function leavingPrivacy(ctx: ContentContext): PrivacyPart {
  return {
    feature: 'leaving',
    tables: ['content.leavings'],
    erases: 'words',
    export: async () =>
      'Nothing, as long as you are here. If you delete your account and have your words removed, one encrypted ticket says which are to go and over what time.',
    erase: ({ person }, { removeWords }) => leave(ctx, person, removeWords),
  };
}
