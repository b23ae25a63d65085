/** What others read on a profile. */
export interface ProfileTexts {
  readonly username: string | null;
  readonly bio: string;
  readonly interests: readonly string[];
  readonly likes: readonly string[];
  readonly dislikes: readonly string[];
}

/** Each text of `first` that is not empty, else that of `second`. */
export function mergeTexts(first: ProfileTexts, second: ProfileTexts): ProfileTexts {
  const list = (key: 'interests' | 'likes' | 'dislikes') =>
    first[key].length > 0 ? first[key] : second[key];
  return {
    username: first.username ?? second.username,
    bio: first.bio || second.bio,
    interests: list('interests'),
    likes: list('likes'),
    dislikes: list('dislikes'),
  };
}
