import type { PrivacyPart } from '../../kernel/privacy-registry.ts';
import type { ContentContext } from '../context.ts';
import { listAuthoredComments } from './authored-comments.ts';

export function commentsPrivacy(ctx: ContentContext): PrivacyPart {
  return {
    feature: 'comments',
    tables: ['content.comments', 'content.shut_outs', 'content.thanks'],
    erases: 'words',
    async export({ person }) {
      const exported: { text: string; saidOn: string; as: string }[] = [];
      for await (const rows of listAuthoredComments(ctx, person))
        for (const { body, saidOn, voice } of rows) exported.push({ text: body, saidOn, as: voice });
      return exported;
    },
    // Comments are deleted one by one, like vents (leaving/). Closings and thanks go with their vents.
    erase: async () => {},
  };
}
