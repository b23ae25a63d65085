import { limits, reportReasons, type VentView } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useId, useState } from 'react';
import { failureText } from '../../../lib/error-text.ts';
import { Button, ButtonRow } from '../../../ui/button.tsx';
import { Choice } from '../../../ui/choice.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorCard } from '../../../ui/error-card.tsx';
import { FieldError, TextArea } from '../../../ui/field.tsx';
import { useReportVent } from '../vents.api.ts';
import { Notice } from './notice.tsx';
import {
  emptyReport,
  readReportDraft,
  saveReportDraft,
  type ReportDraft,
  type ReportReason,
} from './report-drafts.ts';
import styles from './dialogs.module.css';

interface ReportDialogProps {
  readonly vent: VentView;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function ReportDialog({ vent, isOpen, onClose }: ReportDialogProps) {
  const { t } = useLingui();
  const formId = useId();
  const report = useReportVent();
  const [isReported, setIsReported] = useState(false);
  const [draft, setDraft] = useState(() => readReportDraft(vent._id));
  const change = (next: ReportDraft) => {
    setDraft(next);
    saveReportDraft(vent._id, next);
  };
  return (
    <>
      <Dialog
        isOpen={isOpen}
        onClose={onClose}
        title={t`Report Vent`}
        hasUnsentWords={draft !== emptyReport}
        description={<Trans>Tell us what's wrong. The person who wrote it won't know it was you.</Trans>}
        footer={
          <ButtonRow>
            <Button variant="quiet" disabled={report.isPending} onClick={onClose}>
              <Trans>Cancel</Trans>
            </Button>
            <Button type="submit" form={formId} variant="danger" isBusy={report.isPending}>
              <Trans>Report</Trans>
            </Button>
          </ButtonRow>
        }
      >
        <ReportForm
          vent={vent}
          formId={formId}
          report={report}
          draft={draft}
          onChange={change}
          onReported={() => {
            change(emptyReport);
            onClose();
            setIsReported(true);
          }}
        />
      </Dialog>
      <Notice
        isOpen={isReported}
        title={t`Vent reported successfully.`}
        onClose={() => setIsReported(false)}
      />
    </>
  );
}

interface ReportFormProps {
  readonly vent: VentView;
  readonly formId: string;
  readonly report: ReturnType<typeof useReportVent>;
  readonly draft: ReportDraft;
  readonly onChange: (draft: ReportDraft) => void;
  readonly onReported: () => void;
}

/** Mounted only while the dialog is open, so that it starts without errors. */
function ReportForm({ vent, formId, report, draft, onChange, onReported }: ReportFormProps) {
  const { t } = useLingui();
  const { reason, details } = draft;
  const [isMissing, setIsMissing] = useState(false);
  const [failure, setFailure] = useState('');
  const labels: Readonly<Record<ReportReason, string>> = {
    'Inappropriate Content': t`Inappropriate Content`,
    Harassment: t`Harassment`,
    Spam: t`Spam`,
    Other: t`Other`,
  };

  const submit = async () => {
    setIsMissing(reason === null);
    setFailure('');
    if (reason === null) return;
    const said = details.trim();
    try {
      await report.mutateAsync({
        ventId: vent._id,
        reason: reason === 'Other' && said !== '' ? `Other: ${said}` : reason,
      });
      onReported();
    } catch (error) {
      setFailure(failureText(error, t`Failed to report vent.`));
    }
  };

  return (
    <form
      id={formId}
      noValidate
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (!report.isPending) void submit();
      }}
    >
      <Choice
        legend={t`Reason`}
        options={reportReasons.map((value) => ({ value, label: labels[value] }))}
        value={reason}
        onChange={(next) => {
          onChange({ ...draft, reason: next });
          setIsMissing(false);
        }}
      />
      {reason === 'Other' && (
        <TextArea
          label={t`Details`}
          hint={t`Optional.`}
          value={details}
          max={limits.reportDetails}
          onChange={(event) => onChange({ ...draft, details: event.target.value })}
        />
      )}
      {isMissing && (
        <FieldError>
          <Trans>Please select a reason for reporting.</Trans>
        </FieldError>
      )}
      {failure !== '' && <ErrorCard>{failure}</ErrorCard>}
    </form>
  );
}
