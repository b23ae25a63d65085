import type { PrivacyPart } from '../privacy/privacy.registry.ts';
import type { CommentsService } from './comments.service.ts';

export function commentsPrivacy(comments: CommentsService): PrivacyPart {
  return {
    feature: 'comments',
    tables: ['content.comments'],
    async export({ person }) {
      const written: { text: string; saidOn: string; as: string }[] = [];
      for await (const rows of comments.writtenBy(person))
        for (const { body, saidOn, voice } of rows) written.push({ text: body, saidOn, as: voice });
      return written;
    },
    // They go one by one, as the vents do (leaving/).
    erase: async () => {},
  };
}
