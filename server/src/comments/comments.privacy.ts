import type { PrivacyPart } from '../privacy/privacy.registry.ts';
import type { CommentsService } from './comments.service.ts';

export function commentsPrivacy(comments: CommentsService): PrivacyPart {
  return {
    feature: 'comments',
    tables: ['content.comments'],
    async export({ person }) {
      const exported: { text: string; saidOn: string; as: string }[] = [];
      for await (const rows of comments.listAuthored(person))
        for (const { body, saidOn, voice } of rows) exported.push({ text: body, saidOn, as: voice });
      return exported;
    },
    // Comments are deleted one by one, like vents (leaving/).
    erase: async () => {},
  };
}
