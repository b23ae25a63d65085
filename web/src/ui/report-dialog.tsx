import { limits, type ReportReasonCode, type ReportSubject, type SubjectKind } from '@unsaid/contract';
import { t as translate } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Link } from 'react-router';
import { sendHide } from '../lib/choices.ts';
import { failureText } from '../lib/error-text.ts';
import { foldItem } from '../lib/folded-items.ts';
import { paths } from '../lib/paths.ts';
import { reportReasonOrder, sendReport, takesDetails } from '../lib/reports.ts';
import { createSessionMap } from '../lib/store.ts';
import { Button, ButtonRow } from './button.tsx';
import { Choice } from './choice.tsx';
import { Alert, Dialog } from './dialog.tsx';
import { ErrorCard } from './error-card.tsx';
import { FieldError, TextArea } from './field.tsx';
import { findShowButton } from './hidden-line.tsx';
import { reasonLabel, reasonMeaning } from './report-reasons.ts';
import styles from './report-dialog.module.css';

export { HiddenLine } from './hidden-line.tsx';

export interface ReportDialogProps {
  readonly about: ReportSubject;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Chosen already. */
  readonly startsWith?: ReportReasonCode;
}

interface ReportDraft {
  readonly reason: ReportReasonCode | null;
  readonly details: string;
}

const emptyReport: ReportDraft = { reason: null, details: '' };

/** Reports begun and not sent. In memory only: the next person on a shared phone must not learn what was reported. */
const drafts = createSessionMap<ReportDraft>();

/** Folds an item for this visit, and hides it for later ones. A profile is not hidden: that would end the match. */
function putAway(about: ReportSubject): void {
  foldItem(about.id);
  // The report is what counts: whether this works or not.
  if (about.kind !== 'profile') void sendHide(about).catch(() => undefined);
}

interface Words {
  readonly title: string;
  readonly done: string;
  readonly failed: string;
}

function wordsOf(kind: SubjectKind): Words {
  const words: Readonly<Record<SubjectKind, Words>> = {
    // The specification's.
    vent: {
      title: translate`Report Vent`,
      done: translate`Vent reported successfully.`,
      failed: translate`Failed to report vent.`,
    },
    comment: {
      title: translate`Report comment`,
      done: translate`Comment reported successfully.`,
      failed: translate`Failed to report comment.`,
    },
    profile: {
      title: translate`Report profile`,
      done: translate`Profile reported successfully.`,
      failed: translate`Failed to report profile.`,
    },
  };
  return words[kind];
}

/** Reports a vent, a comment or a profile, folds it, and says what happens next. */
export function ReportDialog({ about, isOpen, onClose, startsWith }: ReportDialogProps) {
  const formId = useId();
  const report = useMutation({
    mutationFn: ({ reason, details }: { reason: ReportReasonCode; details: string }) =>
      sendReport(about, reason, details),
  });
  const [sentReason, setSentReason] = useState<ReportReasonCode>();
  const [isThanking, setIsThanking] = useState(false);
  const draftId = `${about.kind} ${about.id}`;
  const [draft, setDraft] = useState<ReportDraft>(
    () => drafts.get(draftId) ?? (startsWith ? { ...emptyReport, reason: startsWith } : emptyReport),
  );
  const change = (next: ReportDraft) => {
    setDraft(next);
    drafts.set(draftId, next === emptyReport ? undefined : next);
  };
  return (
    <>
      <Dialog
        isOpen={isOpen}
        onClose={onClose}
        title={wordsOf(about.kind).title}
        hasUnsentWords={draft !== emptyReport}
        description={<Trans>Tell us what's wrong. The person who wrote it won't know it was you.</Trans>}
        footer={
          <ButtonRow>
            <Button variant="quiet" disabled={report.isPending} onClick={onClose}>
              <Trans>Cancel</Trans>
            </Button>
            {/* Worry is not an accusation. */}
            <Button
              type="submit"
              form={formId}
              variant={draft.reason === 'worried' ? 'primary' : 'danger'}
              isBusy={report.isPending}
            >
              {draft.reason === 'worried' ? <Trans>Send</Trans> : <Trans>Report</Trans>}
            </Button>
          </ButtonRow>
        }
      >
        <ReportForm
          formId={formId}
          failed={wordsOf(about.kind).failed}
          isBusy={report.isPending}
          draft={draft}
          onChange={change}
          onSend={async (reason) => {
            await report.mutateAsync({ reason, details: draft.details });
            change(emptyReport);
            onClose();
            // Somebody who is worried may want to answer.
            if (reason !== 'worried') putAway(about);
            setSentReason(reason);
            setIsThanking(true);
          }}
        />
      </Dialog>
      <Thanks
        about={about}
        isWorried={sentReason === 'worried'}
        isOpen={isThanking}
        onClose={() => setIsThanking(false)}
      />
    </>
  );
}

interface ReportFormProps {
  readonly formId: string;
  readonly failed: string;
  readonly isBusy: boolean;
  readonly draft: ReportDraft;
  readonly onChange: (draft: ReportDraft) => void;
  readonly onSend: (reason: ReportReasonCode) => Promise<void>;
}

/** Mounted only while the dialog is open, so that it starts without errors. */
function ReportForm({ formId, failed, isBusy, draft, onChange, onSend }: ReportFormProps) {
  const { t } = useLingui();
  const { reason, details } = draft;
  const [isMissing, setIsMissing] = useState(false);
  const [failure, setFailure] = useState('');

  const submit = async () => {
    setIsMissing(reason === null);
    setFailure('');
    if (reason === null) return;
    try {
      await onSend(reason);
    } catch (error) {
      setFailure(failureText(error, failed));
    }
  };

  return (
    <form
      id={formId}
      noValidate
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void submit();
      }}
    >
      <Choice
        legend={t`Reason`}
        isList
        options={reportReasonOrder.map((value) => ({
          value,
          label: reasonLabel(value),
          meaning: reasonMeaning(value),
        }))}
        value={reason}
        onChange={(next) => {
          onChange({ ...draft, reason: next });
          setIsMissing(false);
        }}
      />
      {reason !== null && takesDetails(reason) && (
        <TextArea
          label={t`Details`}
          hint={t`Optional.`}
          value={details}
          max={limits.reportDetails}
          onChange={(event) => onChange({ ...draft, details: event.target.value })}
        />
      )}
      {isMissing && <FieldError>{t`Please select a reason for reporting.`}</FieldError>}
      {failure !== '' && <ErrorCard>{failure}</ErrorCard>}
    </form>
  );
}

interface ThanksProps {
  readonly about: ReportSubject;
  readonly isWorried: boolean;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** What happens next. To somebody who is worried: what they can do now. */
function Thanks({ about, isWorried, isOpen, onClose }: ThanksProps) {
  const { t } = useLingui();
  return (
    <Alert
      isOpen={isOpen}
      onClose={onClose}
      // The pressed button went with a folded item.
      returnFocus={() => findShowButton(about.id)}
      title={isWorried ? t`Thank you. A moderator will look.` : wordsOf(about.kind).done}
      actions={
        <ButtonRow>
          <Button onClick={onClose}>{t`OK`}</Button>
        </ButtonRow>
      }
    >
      {isWorried ? (
        <span className={styles.next}>
          <span>
            <Trans>We can't find or call them. If you know them, call 112.</Trans>
          </span>
          {about.kind !== 'profile' && (
            <span>
              <Trans>
                A few kind words can help too. You could comment: “I'm glad you said it. I'm listening.”
              </Trans>
            </span>
          )}
          <Link to={paths.support} className={styles.link} onClick={onClose}>
            <Trans>Helplines and what to say</Trans>
          </Link>
        </span>
      ) : (
        <span className={styles.next}>
          <span>
            <Trans>
              Thank you. We'll look: within 36 hours if someone's in danger, else within 7 days. See what
              happened in Settings, under Your reports.
            </Trans>
          </span>
        </span>
      )}
    </Alert>
  );
}
