export type Language = 'en' | 'hi' | 'hinglish' | 'other';

/** Frequent words that are Hindi in Latin letters and not English. */
const hinglishWords = new Set(
  (
    'hai hain hoon hun tha thi nahi nahin nhi kya kyu kyun kyon mujhe mujhko mera meri mere tera teri tum tumhe ' +
    'aap aur bhi bahut bohot yaar yrr kuch kuchh koi sab raha rahi rahe gaya gayi kar karo karna karta karti ho ' +
    'hota hoti hu ka ki ke ko se ye yeh wo woh jab tab phir fir lekin magar abhi kabhi zindagi dil ghar wale baat ' +
    'apna apni apne matlab samajh pata chahiye'
  ).split(' '),
);
/** A fifth: English texts have a name or two among their words. */
const hinglishShare = 0.2;

/** For choosing a moderator or a listener. Coarse on purpose: a stored language says little about who wrote. */
export function languageOf(text: string): Language {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const hindi = text.match(/\p{Script=Devanagari}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (hindi > 0 && hindi >= latin) return 'hi';
  if (latin === 0 || latin < letters / 2) return 'other';
  const words = text.toLowerCase().match(/\p{Script=Latin}+/gu) ?? [];
  const known = words.filter((word) => hinglishWords.has(word)).length;
  return known / words.length >= hinglishShare ? 'hinglish' : 'en';
}

/** Scripts of India, and Urdu's, that the phrases do not know. */
const unreadLetters =
  /[\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Oriya}\p{Script=Arabic}]/gu;
/** A word or two. */
const fewLetters = 6;

/** Whether most of a text is in a script that the guard cannot read: what it says is not known. */
export function isUnread(text: string): boolean {
  const unread = text.match(unreadLetters)?.length ?? 0;
  return unread >= fewLetters && unread * 2 > (text.match(/\p{L}/gu)?.length ?? 0);
}
