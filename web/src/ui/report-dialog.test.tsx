import { createReport, hide, type ReportSubject } from '@unsaid/contract';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { unfoldItem, useIsFolded } from '../lib/folded-items.ts';
import { endSession } from '../lib/session.ts';
import { renderSignedIn, testServer } from '../lib/testing.tsx';
import { HiddenLine } from './hidden-line.tsx';
import { ReportDialog } from './report-dialog.tsx';

function Item({ about }: { readonly about: ReportSubject }) {
  const [isOpen, setIsOpen] = useState(false);
  const isFolded = useIsFolded(about.id);
  return (
    <article>
      {isFolded ? (
        <HiddenLine id={about.id} reason="reported" onShow={() => unfoldItem(about.id)} />
      ) : (
        <button type="button" onClick={() => setIsOpen(true)}>
          Flag
        </button>
      )}
      <ReportDialog about={about} isOpen={isOpen} onClose={() => setIsOpen(false)} />
    </article>
  );
}

const button = (name: string) => screen.findByRole('button', { name });

async function report(reason: string, send = 'Report'): Promise<void> {
  await userEvent.click(await button('Flag'));
  await userEvent.click(await screen.findByRole('radio', { name: reason }));
  await userEvent.click(await button(send));
}

test('a reported comment is hidden, and folded until it is shown again or the session ends', async () => {
  const about = { kind: 'comment', id: 'c7', ventId: 'v1' } as const;
  const requests = testServer(() => ({}));
  renderSignedIn(<Item about={about} />);
  await report('Harassment');
  await screen.findByText('Comment reported successfully.');
  await screen.findByText(
    /^Thank you\. We'll look: within 36 hours if someone's in danger, else within 7 days\./u,
  );
  await expect.poll(() => requests.map(({ path }) => path)).toEqual([createReport.path, hide.path]);
  expect(requests[1]?.body).toEqual({ about });
  await userEvent.click(await button('OK'));
  await screen.findByText("You reported this. We'll look at it.");
  await userEvent.click(await button('Show'));
  await button('Flag');
  expect(screen.queryByText("You reported this. We'll look at it.")).toBeNull();

  await report('Spam');
  await userEvent.click(await button('OK'));
  await button('Show');
  endSession('logout');
  await button('Flag');
});

test('somebody who is worried reads what they can do now, and the vent stays open', async () => {
  const requests = testServer(() => ({}));
  renderSignedIn(<Item about={{ kind: 'vent', id: 'v7' }} />);
  await userEvent.click(await button('Flag'));
  const reasons = await screen.findAllByRole('radio');
  expect(reasons.map((radio) => radio.closest('label')?.textContent)).toEqual([
    "I'm worried about them",
    'Tells someone to hurt themselves',
    "About a child's safety",
    'Shares private details',
    'HarassmentInsults or threatens someone',
    'Inappropriate ContentSexual or disgusting',
    'SpamAdvertising or the same again and again',
    'OtherSomething else',
  ]);
  await userEvent.click(await button('Cancel'));
  // Worry is sent, not reported.
  await report("I'm worried about them", 'Send');
  await screen.findByText('Thank you. A moderator will look.');
  await screen.findByText("We can't find or call them. If you know them, call 112.");
  const link = screen.getByRole('link', { name: 'Helplines and what to say' });
  expect(link.getAttribute('href')).toBe('/support');
  // Reported, and not hidden.
  expect(requests.map(({ path }) => path)).toEqual([createReport.path]);
  await userEvent.click(await button('OK'));
  expect(screen.queryByText("You reported this. We'll look at it.")).toBeNull();
});

test('a failed report keeps what was written, and folds nothing', async () => {
  testServer(() => new Error('lost'));
  renderSignedIn(<Item about={{ kind: 'profile', id: 'p7' }} />);
  await userEvent.click(await button('Flag'));
  await userEvent.click(await screen.findByRole('radio', { name: 'Shares private details' }));
  await userEvent.type(await screen.findByLabelText('Details'), 'My number.');
  await userEvent.click(await button('Report'));
  await screen.findByText(/^Failed to report profile\. /u);
  expect((await screen.findByLabelText<HTMLTextAreaElement>('Details')).value).toBe('My number.');
  expect(screen.queryByText("You reported this. We'll look at it.")).toBeNull();
});
