import { addDays, startOfDay, type Day } from './clock.ts';

/** Rounds down to the 1st or the 16th, where the exact day could be compared with other days. */
export function halfMonthOf(day: Day): Day {
  return `${day.slice(0, 8)}${Number(day.slice(8)) < 16 ? '01' : '16'}`;
}

/** The start of the first half month that begins on a day or later. */
export function nextHalfMonth(day: Day): Day {
  return halfMonthOf(addDays(day, 16));
}

/** The first of a day's month. */
export const monthOf = (day: Day): Day => `${day.slice(0, 8)}01`;

/** The first of the month after a day. */
export const nextMonth = (day: Day): Day => monthOf(addDays(monthOf(day), 31));

/** The Monday of a day's week. */
export function weekOf(day: Day): Day {
  return addDays(day, -((new Date(startOfDay(day)).getUTCDay() + 6) % 7));
}

/** The Mondays from one on, up to a day. */
export function weeksFrom(monday: Day, day: Day): Day[] {
  const weeks: Day[] = [];
  for (let week = monday; week <= day; week = addDays(week, 7)) weeks.push(week);
  return weeks;
}
