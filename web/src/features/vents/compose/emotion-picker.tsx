import { emotions, type Emotion } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import { Choice } from '../../../ui/choice.tsx';
import { emotionClass, emotionIcons, emotionLabel } from '../../../ui/emotion.tsx';

interface EmotionPickerProps {
  readonly value: Emotion | null;
  readonly onChange: (emotion: Emotion) => void;
  readonly error?: string | undefined;
}

/** All six emotions, each with icon and label. */
export function EmotionPicker(props: EmotionPickerProps) {
  const { t } = useLingui();
  return (
    <Choice
      {...props}
      isEven
      isRequired
      legend={t`Emotion`}
      options={emotions.map((value) => ({
        value,
        label: emotionLabel(value),
        icon: emotionIcons[value],
        className: emotionClass(value),
      }))}
    />
  );
}
