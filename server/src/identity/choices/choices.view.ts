import type { Choices as ChoicesView } from '@unsaid/contract';
import type { Choices } from '../../kernel/choices.ts';
import type { PublicIds } from '../../kernel/public-ids.ts';

/** What a person has hidden and muted, as they are shown it. */
export function choicesView(choices: Choices, publicIds: PublicIds): Omit<ChoicesView, 'success'> {
  const { vents, comments, names, words, hashtags, emotions } = choices;
  const refOf = (commentId: string) => {
    const { ventId } = publicIds.comment.decode(commentId) ?? { ventId: 0n };
    return { kind: 'comment' as const, id: commentId, ventId: publicIds.vent.encode(ventId) };
  };
  return {
    hidden: [...vents.map((id) => ({ kind: 'vent' as const, id })), ...comments.map(refOf)],
    names: names.map(({ id, username }) => ({ _id: id, username })),
    mutes: { words: [...words], hashtags: [...hashtags], emotions: [...emotions] },
  };
}
