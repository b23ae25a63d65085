import type { ReportOutcome } from '@unsaid/contract';
import { dayInIndia } from '../platform/clock.ts';
import type { PrivacyPart } from '../kernel/privacy-registry.ts';
import type { ModerationContext } from './context.ts';
import { listForExport } from './reports/reports.queries.ts';
import { listSlotKeys } from './reports/report-filing.ts';
import { outcomeOf } from './reports/reports.ts';
import { listNotices } from './notices/notices.ts';

/** What became of a report, in words. */
const reportOutcomes: Readonly<Record<ReportOutcome, string>> = {
  waiting: 'not decided yet',
  broken: 'a rule was broken, and we acted',
  fine: 'no rule was broken',
  gone: 'nothing to decide any more',
};

export function moderationPrivacy(ctx: ModerationContext): PrivacyPart {
  const { db, clock, caseBox } = ctx;
  return {
    feature: 'moderation',
    tables: [
      'moderation.cases',
      'moderation.reports',
      'moderation.taken_slots',
      'moderation.notices',
      'moderation.audit',
      'moderation.failed_rows',
      'moderation.data_keys',
      // Staff, known by an alias.
      'moderation.moderators',
      'moderation.passkeys',
      'moderation.sessions',
    ],
    erases: 'words',
    async export({ person }) {
      const found = await listForExport(db, await listSlotKeys(db, person));
      // A slot key that was copied to the report of another person shows nothing.
      const reports = found.filter(({ reporterKey, subjectKey }) =>
        reporterKey.equals(person.reporterKeyOn(subjectKey)),
      );
      return {
        notices: (await listNotices(ctx, person)).map(({ _id, ...notice }) => notice),
        reports: reports.map((report) => ({
          about: report.subjectKind,
          reason: report.reason,
          details: report.sealedDetails && caseBox.open('details', report.subjectKey, report.sealedDetails),
          day: dayInIndia(report.createdAt.getTime()),
          // The same words as in the list: more would tell of a note of care, or of earlier reports.
          outcome: reportOutcomes[outcomeOf(report, clock.now())],
        })),
        whenYouLeave:
          'We keep decisions and reports for 180 days, each under a key of its own. When you delete your account, nobody can tell any more which were yours, not even we.',
      };
    },
    // Nothing is deleted: rows that vanish at one moment would show that they were one person's. Their keys can be
    // computed from the author seed only, which is deleted with the account.
    erase: async () => {},
  };
}
