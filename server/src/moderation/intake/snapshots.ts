import type { ProfileWords } from '../../profiles/profile-moderation.service.ts';
import type { ItemSnapshot } from '../item-snapshot.ts';

const excerptLength = 80;
const segmenter = new Intl.Segmenter();

/** The beginning of a text, cut between characters as readers see them. */
function excerptOf(text: string): string {
  const characters = Array.from(
    segmenter.segment(text.slice(0, excerptLength * 8)),
    ({ segment }) => segment,
  );
  return characters.length > excerptLength
    ? `${characters.slice(0, excerptLength).join('')}…`
    : characters.join('');
}

const withoutEmpty = (paragraphs: ItemSnapshot['paragraphs']) => paragraphs.filter(({ text }) => text !== '');

export function ventSnapshot(vent: {
  readonly title: string;
  readonly text: string;
  readonly emotion: string;
  readonly hashtags: readonly string[];
  readonly postedAt?: string;
}): ItemSnapshot {
  return {
    paragraphs: withoutEmpty([
      { label: 'Title', text: vent.title },
      { label: 'Vent', text: vent.text },
      { label: 'Emotion', text: vent.emotion },
      { label: 'Hashtags', text: vent.hashtags.join(' ') },
      { label: 'Posted', text: vent.postedAt ?? '' },
    ]),
    excerpt: vent.title,
  };
}

export function commentSnapshot({
  voice,
  body,
  saidOn,
}: {
  readonly voice: string;
  readonly body: string;
  readonly saidOn: string;
}): ItemSnapshot {
  return {
    paragraphs: [
      { label: voice === 'author' ? 'Comment by the vent’s author' : 'Comment', text: body },
      { label: 'Posted', text: saidOn },
    ],
    excerpt: excerptOf(body),
  };
}

export function profileSnapshot({ username, bio, interests, likes, dislikes }: ProfileWords): ItemSnapshot {
  return {
    paragraphs: withoutEmpty([
      { label: 'Username', text: username ?? '' },
      { label: 'Bio', text: bio },
      { label: 'Interests', text: interests.join(', ') },
      { label: 'Likes', text: likes.join(', ') },
      { label: 'Dislikes', text: dislikes.join(', ') },
    ]),
    excerpt: null,
  };
}
