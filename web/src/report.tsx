// A report from its file: draws what the page holds as JSON, with the components of `assay serve`, in the place of the
// plain text that readers without scripts find there.
import { render } from 'preact';
import type { ReportFile } from './api/types';
import { countedWords, elapsedWords, titleWords } from './figures/words';
import { SimulatedBanner } from './parts';
import { plainText } from './text/code_points';
import { Text } from './text/text';
import { heldCases, heldText } from './run/held';
import { AllCases } from './run/report_cases';
import { Facts, isOpen, RunReport, SectionLinks } from './run/run_report';
import { Verdict } from './run/sections';

const rows = heldCases();

function Report({ report }: { report: ReportFile }) {
  const { summary, cases, pages } = report;
  const rest = cases.all ? '' : ' The others are in results.jsonl.';
  const shown = cases.count === 0 ? null : cases.page
    ? <p>{countedWords(cases.count, 'case', 'cases')} with everything about each: <a href={cases.page}>all cases</a>.{rest}</p>
    : <><p class="note">{countedWords(cases.count, 'case', 'cases')}, each with everything about it.{rest}</p><AllCases rows={rows} /></>;
  const parts = { detail: report, cases: shown };
  return (
    <>
      <a class="skip" href="#main">Skip to the figures</a>
      <header class="top">
        <div>
          <p class="brand">Assay evaluation report</p>
          <h1><Text of={titleWords(summary.evaluation)} /></h1>
          {summary.what && <p class="what" dir="auto"><Text of={summary.what} /></p>}
          <Facts run={summary.run_id} started={summary.started} took={elapsedWords(summary)} summary={summary} />
        </div>
        <Verdict gates={summary.gates} isOpen={isOpen(summary)} />
      </header>
      <SimulatedBanner models={summary.simulated ?? []} />
      <SectionLinks {...parts} more={pages.map((name) => <li key={name}><a href={name}>{plainText(titleWords(name.replace(/\.html$/, '')))} ↗</a></li>)} />
      <main id="main"><RunReport {...parts} /></main>
      <footer><p>n/a means undefined, which is not zero. Intervals say how far a figure may lie from the truth by chance alone: they assume that the cases are a fair sample. Made by Assay <Text of={summary.assay} />.</p></footer>
    </>
  );
}

const data = heldText('report-data');
const plain = document.getElementById('plain');
if (data && plain) {
  const drawn = document.createElement('div');
  // Drawn at its width at once: plots ask for it. If it cannot be drawn, the plain text stays.
  plain.before(drawn);
  plain.hidden = true;
  try {
    render(<Report report={JSON.parse(data) as ReportFile} />, drawn);
    plain.remove();
    // The place that the address names was not there yet.
    if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
  } catch (error) {
    console.error(error);
    drawn.remove();
    plain.hidden = false;
  }
}

addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('details')) details.open = true;
});
