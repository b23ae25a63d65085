import { beforeEach, describe, expect, it, vi } from 'vitest';

/** Imports a fresh module: it reads storage once, when the page loads. */
async function load(stored?: string) {
  vi.resetModules();
  localStorage.clear();
  if (stored !== undefined) localStorage.setItem('unsaid.token', stored);
  return import('./session.ts');
}

const otherTab = (key: string | null, newValue: string | null) =>
  window.dispatchEvent(Object.assign(new Event('storage'), { key, newValue }));

beforeEach(() => vi.restoreAllMocks());

describe('session', () => {
  it('restores the token of an earlier visit (S4.5)', async () => {
    const session = await load('uns_kept');
    expect(session.getSession().isSignedIn).toBe(true);
    expect(session.getToken()).toBe('uns_kept');
  });

  it('deletes all data of the account, and keeps settings of the device (S4.7)', async () => {
    const session = await load();
    session.startSession('uns_one', 'u1');
    localStorage.setItem('unsaid.draft', 'what I finally wrote');
    sessionStorage.setItem('unsaid.return', '/vent/abc');
    localStorage.setItem('unsaid.scheme', 'dark');
    localStorage.setItem('other', 'not ours');
    session.endSession('logout');
    expect(Object.keys(localStorage).toSorted()).toEqual(['other', 'unsaid.scheme']);
    expect(Object.keys(sessionStorage)).toEqual([]);
    expect(session.getToken()).toBeNull();
    expect(session.getSession()).toEqual({ isSignedIn: false, endedBy: 'logout' });
  });

  it('keeps a draft when the session expires, and deletes it at log-out', async () => {
    const session = await load();
    session.startSession('uns_one', 'u1');
    const mine = session.draftKey('u1', 'vent');
    localStorage.setItem(mine, 'what I finally wrote');
    session.endSession('refused');
    expect(Object.keys(localStorage)).toEqual([mine]);
    session.startSession('uns_two', 'u1');
    expect(localStorage.getItem(mine)).toBe('what I finally wrote');
    session.endSession('logout');
    expect(Object.keys(localStorage)).toEqual([]);
  });

  it('leaves no draft to the next account on the device, and no account id in its key', async () => {
    const session = await load();
    session.startSession('uns_one', 'u1-which-opens-a-profile');
    const mine = session.draftKey('u1-which-opens-a-profile', 'vent');
    expect(mine).not.toContain('profile');
    localStorage.setItem(mine, 'what I finally wrote');
    session.endSession('refused');
    session.startSession('uns_other', 'u2');
    expect(localStorage.getItem(mine)).toBeNull();
  });

  it('distinguishes a session that expired in use from a stale token on arrival', async () => {
    const stale = await load('uns_stale');
    stale.endSession('refused');
    expect(stale.getSession().endedBy).toBe('refused');

    const live = await load('uns_live');
    live.confirmSession('u1');
    live.endSession('refused');
    expect(live.getSession().endedBy).toBe('expired');
  });

  it('ends with the other tabs, also when all storage is cleared', async () => {
    for (const key of ['unsaid.token', null]) {
      const session = await load('uns_shared');
      const listener = vi.fn();
      session.subscribeToSession(listener);
      localStorage.removeItem('unsaid.token');
      otherTab(key, null);
      expect(session.getSession()).toEqual({ isSignedIn: false, endedBy: 'elsewhere' });
      expect(listener).toHaveBeenCalledOnce();
    }
  });

  it('announces a change of account in another tab', async () => {
    const session = await load('uns_one');
    const before = session.getSession();
    localStorage.setItem('unsaid.token', 'uns_two');
    otherTab('unsaid.token', 'uns_two');
    expect(session.getToken()).toBe('uns_two');
    expect(session.getSession()).not.toBe(before);
  });

  it('knows its account before the server responds, and forgets it with the session', async () => {
    const session = await load();
    session.startSession('uns_one', 'u1');
    vi.resetModules();
    const again = await import('./session.ts');
    expect(again.getAccountId()).toBe('u1');
    again.endSession('refused');
    expect(again.getAccountId()).toBeNull();
    expect(Object.keys(localStorage)).toEqual([]);
  });

  it('leaves no draft when it ends before the server has responded', async () => {
    const session = await load();
    session.startSession('uns_one', 'u1');
    localStorage.setItem(session.draftKey('u1', 'vent'), 'mine');
    localStorage.setItem(session.draftKey('u2', 'vent'), 'theirs');
    vi.resetModules();
    (await import('./session.ts')).endSession('logout');
    expect(Object.keys(localStorage)).toEqual([]);
  });

  it('ignores other keys', async () => {
    const session = await load('uns_one');
    const listener = vi.fn();
    session.subscribeToSession(listener);
    otherTab('unsaid.scheme', 'dark');
    expect(listener).not.toHaveBeenCalled();
  });
});
