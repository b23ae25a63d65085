import {
  acceptMatch,
  agreeToNotice,
  appealNotice,
  cancelRecoveryCode,
  changeNumber,
  changeUsername,
  closeAllVents,
  closeToVoice,
  commentOnVent,
  confirmRecoveryCode,
  createReport,
  createVent,
  deleteAccount,
  deleteComment,
  deleteVent,
  dropHeldVent,
  type Endpoint,
  exportData,
  getAgreement,
  getChoices,
  getGrievanceOfficer,
  getHeard,
  getLedger,
  getSelf,
  getUser,
  getVent,
  hide,
  join,
  limits,
  listComments,
  listCountries,
  listen,
  listHeldVents,
  listInbox,
  listNotices,
  listReports,
  listSessions,
  listVents,
  logout,
  makeRecoveryCode,
  markInboxSeen,
  matchHistory,
  type MatchSuggestion,
  matchSuggestions,
  noticeVersion,
  openLiveTicket,
  type OtpPurpose,
  partMatch,
  pendingMatches,
  pollLiveCounts,
  react,
  readRecovery,
  reauthenticate,
  recoverAccount,
  regenerateAvatar,
  rejectMatch,
  releaseHeldVent,
  reportVent,
  requestOtp,
  revokeOtherSessions,
  revokeSession,
  searchVents,
  setMutes,
  setVentComments,
  thankForComment,
  unhide,
  updateDetails,
  ventsSince,
  ventWeather,
  verifyOtp,
  withdrawMatch,
} from '@unsaid/contract';
import { decideCase, nextCase } from '@unsaid/contract/moderation/console';
import { waitUntil } from '../../testkit/wait-until.ts';
import type { Answer, Client } from './client.ts';
import type { Console } from './console.ts';
import { openSessions } from './open-sessions.ts';
import type { TestServer } from './test-server.ts';

/** Every call of the contract, in groups. Calls that can be made only once are made once by each of many people. */

const many = 600;
const some = 300;
/** One call for each person. */
export const people = 64;
const newcomers = 48;
/** Each touches all data of an account; these run one at a time. */
export const few = 4;

type One = (n: number) => Promise<Answer<unknown>>;
export type Measure = (endpoint: Endpoint, what: string, count: number, one: One) => Promise<void>;

export interface Setup {
  readonly server: TestServer;
  readonly client: Client;
  /** A moderator, whose calls are not measured here. */
  readonly console: Console;
  readonly measure: Measure;
  /** Tokens of seeded people. */
  readonly readers: readonly string[];
  readonly readerIds: readonly bigint[];
}

const of = <T>(list: readonly T[], n: number): T =>
  list[((n % list.length) + list.length) % list.length] as T;
/** Nobody reports or closes out themselves. */
const readerBut = (owner: string, readers: readonly string[], n: number): string =>
  of(readers, n) === owner ? of(readers, n + 1) : of(readers, n);
const phoneAt = (n: number) => `+9198${String(20_000_000 + n * 37)}`;

/** Requests a code for each number and waits until all have arrived. */
async function codesFor(
  { server, client }: Setup,
  phones: readonly string[],
  purpose: OtpPurpose,
): Promise<string[]> {
  const before = phones.map((phone) => server.codeFor(phone));
  for (const phone of phones) await client.call(requestOtp, { body: { phone, purpose } });
  const isNew = (phone: string, n: number) => ![null, before[n]].includes(server.codeFor(phone));
  await waitUntil('the codes', () => phones.every(isNew));
  return phones.map((phone) => server.codeFor(phone) ?? '');
}

export async function measureAccounts(setup: Setup): Promise<void> {
  const { server, client, measure, readers } = setup;
  await measure(listCountries, 'countries', many, () => client.call(listCountries, {}));
  await measure(getLedger, 'what moderation did', many, () => client.call(getLedger, {}));
  await measure(getHeard, 'how soon vents were answered', many, () => client.call(getHeard, {}));
  await measure(getGrievanceOfficer, 'grievance officer', many, () => client.call(getGrievanceOfficer, {}));
  const phones = Array.from({ length: newcomers }, (_, n) => phoneAt(n));
  await measure(requestOtp, 'ask for a code', newcomers, (n) =>
    client.call(requestOtp, { body: { phone: of(phones, n) } }),
  );
  await waitUntil('the codes', () => phones.every((phone) => server.codeFor(phone) !== null));
  const codes = phones.map((phone) => server.codeFor(phone) ?? '');
  const tokens: string[] = [];
  await measure(verifyOtp, 'answer it: a new account', newcomers, async (n) => {
    const response = await client.call(verifyOtp, { body: { phone: of(phones, n), otp: of(codes, n) } });
    tokens[n] = response.body.token;
    return response;
  });
  const strangers = Array.from({ length: few }, (_, n) => phoneAt(newcomers + n));
  const theirCodes = await codesFor(setup, strangers, 'signin');
  const proofsOfNumbers: string[] = [];
  for (const [n, phone] of strangers.entries()) {
    const { body } = await client.call(verifyOtp, {
      body: { phone, otp: of(theirCodes, n), asksFirst: true },
    });
    proofsOfNumbers.push((body as unknown as { proof: string }).proof);
  }
  await measure(join, 'agree first: a new account', few, (n) =>
    client.call(join, {
      body: { phone: of(strangers, n), proof: of(proofsOfNumbers, n), isAdultAndAgrees: true },
    }),
  );
  const again = await codesFor(setup, phones, 'reauth');
  await measure(reauthenticate, 'prove it is still you', newcomers, (n) =>
    client.call(reauthenticate, { token: of(tokens, n), body: { phone: of(phones, n), otp: of(again, n) } }),
  );
  await measure(exportData, 'export, of a new account', few, (n) =>
    client.call(exportData, { token: of(tokens, n) }),
  );
  await measure(readRecovery, 'is there a recovery code', some, (n) =>
    client.call(readRecovery, { token: of(readers, n) }),
  );
  const recoveryCodes: string[] = [];
  const proofs: string[] = [];
  await measure(makeRecoveryCode, 'make a recovery code', newcomers, async (n) => {
    const response = await client.call(makeRecoveryCode, { token: of(tokens, n) });
    recoveryCodes[n] = response.body.code;
    proofs[n] = response.body.proof;
    return response;
  });
  await measure(confirmRecoveryCode, 'confirm the recovery code', newcomers, (n) =>
    client.call(confirmRecoveryCode, { token: of(tokens, n), body: { proof: of(proofs, n) } }),
  );
  const moved = tokens.slice(0, newcomers / 2);
  const newPhones = moved.map((_, n) => phoneAt(1000 + n));
  const newCodes = await codesFor(setup, newPhones, 'change');
  await measure(changeNumber, 'change the number', moved.length, (n) =>
    client.call(changeNumber, {
      token: of(moved, n),
      body: { phone: of(newPhones, n), otp: of(newCodes, n) },
    }),
  );
  // The last accounts ask for the first ones, which are in use: the answer is a wait. Others are deleted.
  await measure(recoverAccount, 'ask for an account back', few, async (n) => {
    const body = { code: of(recoveryCodes, n) };
    const answer = await client.call(recoverAccount, { token: of(tokens, -1 - n), body });
    return answer.body.code === 'RECOVERY_WAITS' ? { ...answer, status: 200 } : answer;
  });
  await measure(cancelRecoveryCode, 'cancel the recovery code', few, (n) =>
    client.call(cancelRecoveryCode, { token: of(tokens, newcomers / 2 + few + n) }),
  );
  await measure(deleteAccount, 'delete the account', few, (n) =>
    client.call(deleteAccount, { token: of(tokens, newcomers / 2 + n) }),
  );
}

export async function measureSessions({ server, client, measure, readers, readerIds }: Setup): Promise<void> {
  await measure(listSessions, 'list sessions', some, (n) =>
    client.call(listSessions, { token: of(readers, n) }),
  );
  await openSessions(server.databaseUrl, readerIds);
  const others: string[] = [];
  for (const token of readers) {
    const { sessions } = (await client.call(listSessions, { token })).body;
    others.push(sessions.find(({ isCurrent }) => !isCurrent)?._id ?? '');
  }
  await measure(revokeSession, 'end one session', people, (n) =>
    client.call(revokeSession, { token: of(readers, n), params: { id: of(others, n) } }),
  );
  await openSessions(server.databaseUrl, readerIds);
  await measure(revokeOtherSessions, 'end the others', people, (n) =>
    client.call(revokeOtherSessions, { token: of(readers, n) }),
  );
  const leaving = await openSessions(server.databaseUrl, readerIds);
  await measure(logout, 'log out', people, (n) => client.call(logout, { token: of(leaving, n) }));
}

export async function measureProfiles({ client, measure, readers }: Setup): Promise<void> {
  await measure(getSelf, 'own profile', many, (n) => client.call(getSelf, { token: of(readers, n) }));
  await measure(updateDetails, 'change the profile', some, (n) =>
    client.call(updateDetails, {
      token: of(readers, n),
      body: { bio: `I listen ${n}`, interests: ['music', `tea ${n}`] },
    }),
  );
  await measure(regenerateAvatar, 'another picture', some, (n) =>
    client.call(regenerateAvatar, { token: of(readers, n) }),
  );
  await measure(getAgreement, 'version of the notice', some, (n) =>
    client.call(getAgreement, { token: of(readers, n) }),
  );
  await measure(agreeToNotice, 'agree to it', people, (n) =>
    client.call(agreeToNotice, { token: of(readers, n), body: { version: noticeVersion } }),
  );
  await measure(changeUsername, 'another name', people, (n) =>
    client.call(changeUsername, { token: of(readers, n), body: { newUsername: `bench_${n}` } }),
  );
}

export async function measureReading({ client, measure, readers }: Setup): Promise<void> {
  const list = (query: Record<string, string>) => (n: number) =>
    client.call(listVents, { token: of(readers, n), query });
  const { vents } = (await client.call(listVents, { token: of(readers, 0), query: { limit: '100' } })).body;
  const ids = vents.map(({ _id }) => _id);
  const discussed = vents.toSorted((a, b) => b.commentCount - a.commentCount)[0]?._id ?? '';
  await measure(listVents, 'feed, page 1 (shared for a second)', many, list({ page: '1' }));
  await measure(listVents, 'feed, uncached', many, list({ page: '1', limit: '6' }));
  await measure(listVents, 'feed, older', many, list({ before: of(ids, 60) }));
  await measure(listVents, 'trending', many, list({ sort: 'trending' }));
  await measure(listVents, 'my vents', many, list({ mine: 'true', limit: String(limits.myVentsFetched) }));
  await measure(getVent, 'one vent', many, (n) =>
    client.call(getVent, { token: of(readers, n), params: { id: of(ids, n) } }),
  );
  await measure(searchVents, 'search, a frequent word', some, (n) =>
    client.call(searchVents, { token: of(readers, n), query: { query: 'feel', limit: '20' } }),
  );
  await measure(searchVents, 'search, a hashtag', some, (n) =>
    client.call(searchVents, { token: of(readers, n), query: { query: '#neet', limit: '20' } }),
  );
  await measure(listComments, 'comments of a vent', many, (n) =>
    client.call(listComments, { token: of(readers, n), params: { id: discussed }, query: {} }),
  );
  await measure(listen, 'listen, two that wait', many, (n) =>
    client.call(listen, { token: of(readers, n), query: { count: '2' } }),
  );
  await measure(ventsSince, 'since you were here', many, (n) =>
    client.call(ventsSince, { token: of(readers, n), query: {} }),
  );
  await measure(listInbox, 'inbox', many, (n) =>
    client.call(listInbox, { token: of(readers, n), query: {} }),
  );
  const { cursor, lines } = (await client.call(listInbox, { token: of(readers, 0), query: {} })).body;
  const shown = lines.map(({ key }) => key);
  await measure(markInboxSeen, 'inbox seen', many, () =>
    client.call(markInboxSeen, { token: of(readers, 0), body: { cursor, shown } }),
  );
  await measure(openLiveTicket, 'open the live connection', some, (n) =>
    client.call(openLiveTicket, { token: of(readers, n), body: {} }),
  );
  await measure(pollLiveCounts, 'poll the counts', some, (n) =>
    client.call(pollLiveCounts, { token: of(readers, n), body: {} }),
  );
  await measure(ventWeather, 'emotional weather', many, (n) =>
    client.call(ventWeather, { token: of(readers, n) }),
  );
}

export async function measureChoices({ client, measure, readers }: Setup): Promise<void> {
  const { vents } = (await client.call(listVents, { token: of(readers, 0), query: { limit: '100' } })).body;
  const about = (n: number) => ({ kind: 'vent' as const, id: of(vents, n)._id });
  await measure(hide, 'hide a vent', some, (n) =>
    client.call(hide, { token: of(readers, n), body: { about: about(n) } }),
  );
  await measure(setMutes, 'mute words', people, (n) =>
    client.call(setMutes, {
      token: of(readers, n),
      body: { words: ['rank', 'marks'], hashtags: ['exams'], emotions: ['Angry'] },
    }),
  );
  await measure(getChoices, 'what is hidden and muted', some, (n) =>
    client.call(getChoices, { token: of(readers, n) }),
  );
  await measure(unhide, 'show it again', some, (n) =>
    client.call(unhide, { token: of(readers, n), body: { about: about(n) } }),
  );
}

interface MadeVent {
  readonly id: string;
  readonly token: string;
  readonly isOpen: boolean;
}

/** Reports, and what comes back: decisions of a moderator, notices of them, appeals. */
async function measureReports(
  { client, console: moderator, measure, readers }: Setup,
  vents: readonly MadeVent[],
): Promise<void> {
  await measure(createReport, 'a report with a reason', vents.length, (n) => {
    const { id, token: owner } = of(vents, n);
    const token = readerBut(owner, readers, n);
    return client.call(createReport, { token, body: { about: { kind: 'vent', id }, reason: 'harassment' } });
  });
  for (;;) {
    const waiting = (await moderator.call(nextCase)).case;
    if (!waiting) break;
    await moderator.call(decideCase, {
      params: { id: waiting.id },
      body: { version: waiting.version, outcome: 'hide', policy: 'harassment', sanction: 'none' },
    });
  }
  const notices: { readonly token: string; readonly id: string }[] = [];
  for (const token of readers)
    for (const { _id: id, appeal } of (await client.call(listNotices, { token })).body.notices)
      if (appeal === 'open') notices.push({ token, id });
  await measure(listNotices, 'notices of decisions', some, (n) =>
    client.call(listNotices, { token: of(readers, n) }),
  );
  await measure(appealNotice, 'ask for a second look', notices.length, (n) => {
    const { token, id } = of(notices, n);
    return client.call(appealNotice, { token, params: { id }, body: { text: 'It was about myself' } });
  });
  await measure(listReports, 'own reports', some, (n) => client.call(listReports, { token: of(readers, n) }));
}

export async function measureWriting(setup: Setup): Promise<void> {
  const { client, measure, readers } = setup;
  const made: MadeVent[] = [];
  await measure(createVent, 'say something', some + people, async (n) => {
    const token = of(readers, n);
    const text = `What does it cost to say this? ${n} `.repeat(6);
    const response = await client.call(createVent, {
      token,
      body: { title: `Cost ${n}`, text, emotion: 'Sad', hashtags: ['night'] },
    });
    const { vent } = response.body;
    if (vent) made.push({ id: vent._id, token, isOpen: vent.userId.allowComments });
    return response;
  });
  await measureReports(setup, made.splice(0, people));
  await measure(react, 'a reaction', some, (n) =>
    client.call(react, {
      token: of(readers, n),
      body: { ventId: of(made, n + 1).id, reactionType: 'hug', active: true },
    }),
  );
  const open = made.filter(({ isOpen }) => isOpen);
  const comments: {
    readonly ventId: string;
    readonly commentId: string;
    readonly token: string;
    readonly owner: string;
  }[] = [];
  await measure(commentOnVent, 'a comment', some, async (n) => {
    const { id: ventId, token: owner } = of(open, n + 1);
    const token = readerBut(owner, readers, n);
    const response = await client.call(commentOnVent, {
      token,
      body: { ventId, text: 'I hear you', anonymous: n % 2 === 0 },
    });
    comments.push({ ventId, token, owner, commentId: response.body.comment._id });
    return response;
  });
  const unwelcome = comments.splice(0, people);
  await measure(deleteComment, 'take a comment back', comments.length, (n) => {
    const { token, ventId, commentId } = of(comments, n);
    return client.call(deleteComment, { token, params: { ventId, commentId } });
  });
  await measure(thankForComment, 'say that a comment helped', unwelcome.length, (n) => {
    const { owner, ventId, commentId } = of(unwelcome, n);
    return client.call(thankForComment, {
      token: owner,
      params: { ventId, commentId },
    });
  });
  await measure(closeToVoice, 'close a vent to a voice', unwelcome.length, (n) => {
    const { owner, ventId, commentId } = of(unwelcome, n);
    return client.call(closeToVoice, { token: owner, params: { ventId, commentId } });
  });
  const holders = readers;
  await measure(createVent, 'hold a vent back', 2 * people, (n) =>
    client.call(createVent, {
      token: of(holders, n),
      body: { title: `Later ${n}`, text: 'Not now', emotion: 'Sad', later: true },
    }),
  );
  const heldBy = (n: number) => client.call(listHeldVents, { token: of(holders, n) });
  await measure(listHeldVents, 'vents held back', some, heldBy);
  const waiting = await Promise.all(holders.map(async (_, n) => (await heldBy(n)).body.held[0]?._id ?? ''));
  const later = waiting.length / 2;
  await measure(releaseHeldVent, 'post a held vent now', later, (n) =>
    client.call(releaseHeldVent, { token: of(holders, n), params: { id: of(waiting, n) } }),
  );
  await measure(dropHeldVent, 'delete a held vent', later, (n) =>
    client.call(dropHeldVent, { token: of(holders, n + later), params: { id: of(waiting, n + later) } }),
  );
  await measure(setVentComments, 'close a vent for comments', some, (n) => {
    const { id, token } = of(made, n);
    return client.call(setVentComments, { token, params: { id }, body: { allowComments: n < 0 } });
  });
  await measure(reportVent, 'a report', some, (n) => {
    const { id: ventId, token: owner } = of(made, n);
    const token = readerBut(owner, readers, n);
    return client.call(reportVent, { token, body: { ventId, reason: `Other: measured ${n}` } });
  });
  await measure(deleteVent, 'take a vent back', some, (n) => {
    const { id, token } = of(made, n);
    return client.call(deleteVent, { token, params: { id } });
  });
  await measure(closeAllVents, 'close all of one’s own', few, (n) =>
    client.call(closeAllVents, { token: of(readers, n) }),
  );
}

export async function measureMatching({ client, measure, readers }: Setup): Promise<void> {
  const found: MatchSuggestion[][] = [];
  await measure(matchSuggestions, 'suggestions, the first time', people, async (n) => {
    const response = await client.call(matchSuggestions, { token: of(readers, n) });
    if (response.status === 200) found[n] = response.body.matches;
    return response;
  });
  await measure(matchSuggestions, 'suggestions, again', some, (n) =>
    client.call(matchSuggestions, { token: of(readers, n) }),
  );
  const answered = (index: number) =>
    readers.flatMap((token, n) => {
      const match = found[n]?.[index];
      return match ? [{ token, body: { matchId: match._id } }] : [];
    });
  const peers: { readonly token: string; readonly params: { readonly id: string } }[] = [];
  for (const [n, token] of readers.entries()) {
    const { user } = (await client.call(getSelf, { token })).body;
    const others = found[n]?.flatMap(({ user1, user2 }) => [user1._id, user2._id]) ?? [];
    const id = others.find((one) => one !== user._id);
    if (id !== undefined) peers.push({ token, params: { id } });
  }
  await measure(getUser, 'profile of a peer', many, (n) => client.call(getUser, of(peers, n)));
  const [yes, no] = [answered(0), answered(1)];
  /** Among few people both of a pair may be asked, and one ends what the other answers. */
  const orClosed = async (asked: Promise<Answer<unknown>>) => {
    const answer = await asked;
    return answer.body.code === 'MATCH_CLOSED' ? { ...answer, status: 200 } : answer;
  };
  await measure(acceptMatch, 'accept', yes.length, (n) => orClosed(client.call(acceptMatch, of(yes, n))));
  await measure(withdrawMatch, 'withdraw', yes.length, (n) =>
    orClosed(client.call(withdrawMatch, of(yes, n))),
  );
  // The yes was taken back: the answer is that of a repetition.
  await measure(partMatch, 'part', yes.length, (n) => orClosed(client.call(partMatch, of(yes, n))));
  await measure(rejectMatch, 'reject', no.length, (n) => orClosed(client.call(rejectMatch, of(no, n))));
  await measure(pendingMatches, 'pending', some, (n) =>
    client.call(pendingMatches, { token: of(readers, n) }),
  );
  await measure(matchHistory, 'history', some, (n) => client.call(matchHistory, { token: of(readers, n) }));
}
