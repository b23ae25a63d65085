/**
 * The words of dates, as Intl has them: format.test.ts compares them, so that a new release of its data is noticed. The
 * first Intl formatter of a page costs a tenth of a second on a cheap phone, and the first screen needs nothing else of it.
 */
interface DateWords {
  readonly today: string;
  readonly yesterday: string;
  readonly minutesAgo: (count: number) => string;
  readonly hoursAgo: (count: number) => string;
  readonly daysAgo: (count: number) => string;
  /** From January on. */
  readonly months: readonly string[];
  /** The day, and the time of 0:00 to 23:59 on a clock of twelve hours: "6:35". */
  readonly full: (day: string, time: string, hour: number) => string;
}

const english: DateWords = {
  today: 'today',
  yesterday: 'yesterday',
  minutesAgo: (count) => `${count} min ago`,
  hoursAgo: (count) => `${count} hr ago`,
  daysAgo: (count) => (count === 1 ? '1 day ago' : `${count} days ago`),
  months: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec'],
  full: (day, time, hour) => `${day}, ${time} ${hour < 12 ? 'am' : 'pm'}`,
};

const partOfDay = (hour: number) =>
  hour < 4 || hour >= 20 ? 'रात' : hour < 12 ? 'सुबह' : hour < 16 ? 'दोपहर' : 'शाम';

// The long forms: Hindi's words are short, and its abbreviations ("मि॰", "नव॰") are not in common use.
const hindi: DateWords = {
  today: 'आज',
  yesterday: 'कल',
  minutesAgo: (count) => `${count} मिनट पहले`,
  hoursAgo: (count) => `${count} घंटे पहले`,
  daysAgo: (count) => `${count} दिन पहले`,
  months: ['जनवरी', 'फ़रवरी', 'मार्च', 'अप्रैल', 'मई', 'जून', 'जुलाई', 'अगस्त', 'सितंबर', 'अक्टूबर', 'नवंबर', 'दिसंबर'],
  full: (day, time, hour) => `${day} को ${partOfDay(hour)} ${time} बजे`,
};

export const dateWords = (isHindi: boolean): DateWords => (isHindi ? hindi : english);
