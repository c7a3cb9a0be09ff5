// What a file of a report holds for its script: JSON in elements that are not run, and the style of its cases.
import style from '../case.css';
import { caseRow, type CaseRow } from './report_rows';

export const heldText = (id: string): string => document.getElementById(id)?.textContent ?? '';
export const heldCases = (): CaseRow[] => heldText('case-lines').split('\n').filter((line) => line !== '').map(caseRow);

const sheet = document.createElement('style');
sheet.textContent = style;
document.head.append(sheet);
