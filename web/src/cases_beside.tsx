// The cases of a report that has too many to hold them itself, in the file beside it.
import { render } from 'preact';
import { heldCases } from './run/held';
import { AllCases } from './run/report_cases';

const place = document.getElementById('case-table');
if (place) render(<AllCases rows={heldCases()} />, place);
