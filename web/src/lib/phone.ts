/** ISO country and dial code. The picker needs only the prefix; the server validates the number. */
const table =
  'AC247 AD376 AE971 AF93 AG1 AI1 AL355 AM374 AO244 AR54 AS1 AT43 AU61 AW297 AX358 AZ994 BA387 BB1 ' +
  'BD880 BE32 BF226 BG359 BH973 BI257 BJ229 BL590 BM1 BN673 BO591 BQ599 BR55 BS1 BT975 BW267 BY375 ' +
  'BZ501 CA1 CC61 CD243 CF236 CG242 CH41 CI225 CK682 CL56 CM237 CN86 CO57 CR506 CU53 CV238 CW599 CX61 ' +
  'CY357 CZ420 DE49 DJ253 DK45 DM1 DO1 DZ213 EC593 EE372 EG20 EH212 ER291 ES34 ET251 FI358 FJ679 FK500 ' +
  'FM691 FO298 FR33 GA241 GB44 GD1 GE995 GF594 GG44 GH233 GI350 GL299 GM220 GN224 GP590 GQ240 GR30 ' +
  'GT502 GU1 GW245 GY592 HK852 HN504 HR385 HT509 HU36 ID62 IE353 IL972 IM44 IN91 IO246 IQ964 IR98 ' +
  'IS354 IT39 JE44 JM1 JO962 JP81 KE254 KG996 KH855 KI686 KM269 KN1 KP850 KR82 KW965 KY1 KZ7 LA856 ' +
  'LB961 LC1 LI423 LK94 LR231 LS266 LT370 LU352 LV371 LY218 MA212 MC377 MD373 ME382 MF590 MG261 MH692 ' +
  'MK389 ML223 MM95 MN976 MO853 MP1 MQ596 MR222 MS1 MT356 MU230 MV960 MW265 MX52 MY60 MZ258 NA264 ' +
  'NC687 NE227 NF672 NG234 NI505 NL31 NO47 NP977 NR674 NU683 NZ64 OM968 PA507 PE51 PF689 PG675 PH63 ' +
  'PK92 PL48 PM508 PR1 PS970 PT351 PW680 PY595 QA974 RE262 RO40 RS381 RU7 RW250 SA966 SB677 SC248 ' +
  'SD249 SE46 SG65 SH290 SI386 SJ47 SK421 SL232 SM378 SN221 SO252 SR597 SS211 ST239 SV503 SX1 SY963 ' +
  'SZ268 TA290 TC1 TD235 TG228 TH66 TJ992 TK690 TL670 TM993 TN216 TO676 TR90 TT1 TV688 TW886 TZ255 ' +
  'UA380 UG256 US1 UY598 UZ998 VA39 VC1 VE58 VG1 VI1 VN84 VU678 WF681 WS685 XK383 YE967 YT262 ZA27 ' +
  'ZM260 ZW263';

export const dialCodes: ReadonlyMap<string, string> = new Map(
  table.split(' ').map((entry) => [entry.slice(0, 2), entry.slice(2)]),
);

export const defaultCountry = 'IN';

const digitsOf = (text: string): string => text.replace(/\D/gu, '');

/** The number in E.164 form, or an empty string for empty input. */
export function buildPhone(country: string, typed: string): string {
  const digits = digitsOf(typed);
  if (digits === '') return '';
  const text = typed.trim();
  if (text.startsWith('+')) return `+${digits}`;
  if (text.startsWith('00')) return `+${digits.slice(2)}`;
  return `+${dialCodes.get(country) ?? ''}${stripIndianPrefix(country, digits)}`;
}

/** Groups Indian numbers as five and five digits; leaves others unchanged. */
export function readablePhone(phone: string): string {
  return phone.replace(/^\+91(\d{5})(\d{5})$/u, '+91 $1 $2');
}

/**
 * Removes a leading 0 or 91, which is often written before the ten digits of an Indian number. Elsewhere a
 * leading 0 can belong to the number.
 */
function stripIndianPrefix(country: string, digits: string): string {
  if (country !== 'IN') return digits;
  if (digits.length === 11 && digits.startsWith('0')) return digits.slice(1);
  if (digits.length === 12 && digits.startsWith('91')) return digits.slice(2);
  return digits;
}

/**
 * Splits a pasted international number into country and national part. Null when no listed country matches.
 */
export function splitPhone(
  typed: string,
  preferred: string,
  countries: readonly string[],
): { country: string; number: string } | null {
  if (!typed.trim().startsWith('+')) return null;
  const digits = digitsOf(typed);
  const fitting = countries
    .filter((country) => digits.startsWith(dialCodes.get(country) ?? ' '))
    .toSorted((a, b) => (dialCodes.get(b)?.length ?? 0) - (dialCodes.get(a)?.length ?? 0));
  const longest = dialCodes.get(fitting[0] ?? '');
  if (longest === undefined) return null;
  // Several countries share +1: keep the selected one if it matches.
  const country = dialCodes.get(preferred) === longest ? preferred : longest === '1' ? 'US' : fitting[0];
  if (country === undefined || !countries.includes(country)) return null;
  return { country, number: digits.slice(longest.length) };
}
