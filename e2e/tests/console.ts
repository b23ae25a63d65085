import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Page } from '@playwright/test';
import type { ReportReasonCode, ReportSubject, RequestOf } from '@unsaid/contract';
import { decideCase, openCase, takeCase, type CaseView } from '@unsaid/contract/moderation/console';
import { repo, testEnv } from '../test-env.ts';
import { postComment, postVent, report, signUp } from './api.ts';
import { expect, newPerson, newWord } from './fixtures.ts';

/** Moderators, as the journeys need them. */

const run = promisify(execFile);

export const asUser = { baseURL: testEnv.origin };
/** The moderation console, on its own origin. */
export const consoleScreen = { baseURL: testEnv.modOrigin, viewport: { width: 1280, height: 860 } };

/** Adds a moderator from the command line, as an operator does. The link registers one passkey. */
export async function addModerator(role: 'moderator' | 'lead' | 'auditor'): Promise<string> {
  const command = [`${repo}server/src/bin/moderators.ts`, 'add', newWord('mod'), '--role', role];
  const { stdout } = await run(process.execPath, command, { env: testEnv.server });
  const [link] = /http\S+/u.exec(stdout) ?? [];
  if (!link) throw new Error(`no link in: ${stdout}`);
  return link;
}

/** A device that holds passkeys and says yes by itself. */
export async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

export const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });

/** Registers a passkey with the link and signs in, without touching the mouse. */
export async function enrolByKeyboard(page: Page, link: string): Promise<void> {
  await addAuthenticator(page);
  await page.goto(link);
  await expect(heading(page, 'Register your passkey')).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(heading(page, 'Your passkey is registered')).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await signInByKeyboard(page);
}

export async function signInByKeyboard(page: Page): Promise<void> {
  await expect(heading(page, 'Sign in')).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
}

/** Vents and comments of one person, each reported by another, through the real calls. */
export async function reportItems(browser: Browser, reasons: readonly ReportReasonCode[]): Promise<void> {
  const [author, reporter] = [await newPerson(browser, asUser), await newPerson(browser, asUser)];
  await Promise.all([signUp(author), signUp(reporter)]);
  for (const [index, reason] of reasons.entries()) {
    const { _id: ventId } = await postVent(author, { title: newWord('case ') });
    const isComment = index % 3 === 2;
    const id = isComment ? await postComment(author, ventId, newWord('said ')) : ventId;
    const about = isComment ? ({ kind: 'comment', id, ventId } as const) : ({ kind: 'vent', id } as const);
    await report(reporter, { about, reason, details: newWord('because ') });
  }
  await Promise.all([author.context().close(), reporter.context().close()]);
}

export const nextButton = (page: Page) => page.getByRole('button', { name: 'Next case' });
export const result = (page: Page) => page.getByRole('status');

/** Takes the next case and reads it. */
export async function takeNext(page: Page): Promise<void> {
  await page.keyboard.press('n');
  await expect(page.getByText(/You hold this case/u)).toBeVisible();
  await expect(heading(page, /^(?:Vent|Comment), /u)).toBeFocused();
  await page.keyboard.press('r');
  await expect(page.getByRole('heading', { name: 'The text' })).toBeFocused();
  await expect(page.getByRole('button', { name: 'Hide again' })).toHaveCount(1);
}

/** Opens the rules and takes the one that is chosen or first, or another by an arrow key. */
export async function chooseRule(page: Page, key = 'Space'): Promise<void> {
  await page.keyboard.press('p');
  await expect(page.getByRole('dialog').getByRole('radio').and(page.locator(':focus'))).toBeVisible();
  await page.keyboard.press(key);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toHaveCount(0);
}

/** Confirms, and goes through what the form still asks for. */
export async function confirm(page: Page, done: string): Promise<void> {
  await page.keyboard.press('Control+Enter');
  const missing = page.getByRole('alert').filter({ hasText: 'Choose a sanction, or none.' });
  await expect(missing.or(nextButton(page))).toBeVisible();
  if (await missing.isVisible()) {
    // The focus is on the first sanction, which is none.
    await page.keyboard.press('Space');
    await page.keyboard.press('Control+Enter');
  }
  await expect(result(page)).toContainText(done);
  await expect(nextButton(page)).toBeFocused();
}

/** A lead who has just signed in, in a context of their own. */
export async function newLead(browser: Browser): Promise<Page> {
  const lead = await newPerson(browser, { baseURL: testEnv.modOrigin });
  await enrolByKeyboard(lead, await addModerator('lead'));
  return lead;
}

type Decision = Omit<RequestOf<typeof decideCase>['body'], 'version'>;

/** Decides about an item by the calls of the console, for journeys that are about what its author sees. */
export async function decide(lead: Page, about: ReportSubject, decision: Decision): Promise<void> {
  const call = async (path: string, body: object) => {
    const response = await lead
      .context()
      .request.post(path, { data: body, headers: { 'sec-fetch-site': 'same-origin' } });
    expect(response.ok(), `${path}: ${await response.text()}`).toBe(true);
    return (await response.json()) as { readonly case: CaseView };
  };
  const { id } = (await call(openCase.path, { about, policy: decision.policy ?? 'other', source: 'staff' }))
    .case;
  const { version } = (await call(takeCase.path.replace(':id', id), {})).case;
  await call(decideCase.path.replace(':id', id), { ...decision, version, isDangerous: true });
}
