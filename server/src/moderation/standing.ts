import type { Person } from '../kernel/person-keys.ts';
import type { Exclusion, Standing } from '../kernel/standing.ts';
import type { CachedSanction, ModerationCore } from './context.ts';
import { readTerms } from './notices/notice-slots.ts';

/** What a person may do, computed from their notices. The port that other rooms name is in kernel/standing.ts. */

const cacheTtlSeconds = 60;
/** Sanctions in all slots fit: the length of a cached value must not tell who has one. */
const cachedBytes = 1280;

export async function findStanding(
  ctx: ModerationCore,
  person: Person,
  { skipCache }: { readonly skipCache: boolean },
): Promise<Standing> {
  const sanctions = skipCache
    ? await loadSanctions(ctx, person)
    : await ctx.sanctionsCache.getOrLoad(
        person.speakerId.toString('base64url'),
        async () => (await readCache(ctx, person)) ?? (await loadSanctions(ctx, person)),
      );
  const now = ctx.clock.now();
  const inForce = sanctions.filter(({ startsAt, endsAt }) => startsAt <= now && now < endsAt);
  if (inForce.some(({ sanction }) => sanction !== 'limit')) return 'suspended';
  return inForce.length > 0 ? 'limited' : 'good';
}

export async function findSuspended(ctx: ModerationCore, people: readonly Person[]) {
  const noticeSlots = people.map((person) => person.noticeSlots());
  const areSuspended = await areSanctioned(ctx, noticeSlots, ({ sanction }) => sanction !== 'limit');
  return new Set(people.filter((_, n) => areSuspended[n]));
}

export const areSilent = (ctx: ModerationCore, noticeSlots: readonly (readonly Buffer[])[]) =>
  areSanctioned(ctx, noticeSlots, () => true);

/** Whether people have a sanction of this kind now, by their notice slots. */
async function areSanctioned(
  ctx: ModerationCore,
  noticeSlots: readonly (readonly Buffer[])[],
  isMeant: (sanction: CachedSanction) => boolean,
): Promise<boolean[]> {
  const now = ctx.clock.now();
  const rows = (await listSanctions(ctx, noticeSlots.flat())).filter(
    (one) => one.startsAt <= now && isMeant(one),
  );
  const found = new Set(rows.map(({ slotKey }) => slotKey.toString('latin1')));
  return noticeSlots.map((slots) => slots.some((slotKey) => found.has(slotKey.toString('latin1'))));
}

export async function findExclusion(ctx: ModerationCore, person: Person): Promise<Exclusion | null> {
  const exclusions = (await readSanctions(ctx, person)).flatMap(({ sanction, endsAt }) =>
    sanction === 'limit' ? [] : [{ sanction, endsAt }],
  );
  return exclusions.toSorted((a, b) => b.endsAt - a.endsAt)[0] ?? null;
}

/** After a decision about this person has been committed: replaces what is cached. */
export async function replaceCachedStanding(ctx: ModerationCore, person: Person): Promise<void> {
  const sanctions = ctx.redisCrypto.encrypt(await readSanctions(ctx, person), cachedBytes);
  await ctx.redis.overwrite(new Map([[cacheKey(ctx, person), sanctions]]), cacheTtlSeconds);
  await ctx.sanctionsCache.invalidateAll();
}

async function listSanctions(ctx: ModerationCore, slotKeys: readonly Buffer[]) {
  const now = ctx.clock.now();
  return (await readTerms(ctx, slotKeys, now)).flatMap(({ slotKey, isValid, sanction, startsAt, endsAt }) =>
    isValid && sanction !== 'none' && startsAt !== null && endsAt !== null && endsAt > now
      ? [{ slotKey, sanction, startsAt, endsAt }]
      : [],
  );
}

async function readSanctions(ctx: ModerationCore, person: Person): Promise<readonly CachedSanction[]> {
  const found = await listSanctions(ctx, person.noticeSlots());
  return found.map(({ sanction, startsAt, endsAt }) => ({ sanction, startsAt, endsAt }));
}

const cacheKey = ({ redisCrypto }: ModerationCore, person: Person) =>
  `standing:${redisCrypto.keyedHash('standing', person.mark('standing'))}`;

async function readCache(ctx: ModerationCore, person: Person) {
  const cached = await ctx.redis.getCached(cacheKey(ctx, person));
  return cached === null
    ? undefined
    : (ctx.redisCrypto.decrypt(cached) as readonly CachedSanction[] | undefined);
}

async function loadSanctions(ctx: ModerationCore, person: Person): Promise<readonly CachedSanction[]> {
  const sanctions = await readSanctions(ctx, person);
  // NX: what was read before a decision must not overwrite what `replaceCachedStanding` wrote after it.
  void ctx.redis
    .run((client) => {
      const encrypted = ctx.redisCrypto.encrypt(sanctions, cachedBytes);
      return client.set(cacheKey(ctx, person), encrypted, 'EX', cacheTtlSeconds, 'NX');
    })
    .catch(() => {});
  return sanctions;
}
