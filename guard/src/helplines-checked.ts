/** By line, the day a person called it or an official source confirmed it. `npm run helplines -- --checked` writes it. */
export const checkedOn: Readonly<Record<string, string>> = {};
