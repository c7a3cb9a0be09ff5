import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, caseAddress, screenOf, type Screen } from '../src/address';

const screens: Screen[] = [
  { name: 'runs', query: { search: 'a b&c', sort: 'started' } },
  { name: 'run', run: 'custom:2026-11-18T10-00-00@2', query: { outcome: 'judge_failed', at: '12' } },
  { name: 'case', run: 'a:b', id: '../..?x=<script>#&id=2 \u202e', query: { failed: 'true' } },
  { name: 'compare', base: 'a:b', others: ['c:d', 'e:f'], query: { case: 'x/y' } },
  { name: 'judge', run: 'a:b', query: {} },
  { name: 'sheet', sheet: 's 1', query: { show: 'agreement' } },
  { name: 'new', query: { config: 'dir/a.yaml' } },
  { name: 'store', kind: 'jobs', query: { page: '3' } },
];

test('every state has an address that leads back to it', () => {
  for (const screen of screens) assert.deepEqual(screenOf(addressOf(screen)), screen, addressOf(screen));
});

test('an audit names its runs', () => {
  const screen = screenOf('/audit?runs=a:b,c&figure=accuracy');
  assert.deepEqual(screen, { name: 'audit', runs: ['a:b', 'c'], query: { figure: 'accuracy' } });
  assert.equal(addressOf(screen), '/audit?runs=a%3Ab%2Cc&figure=accuracy');
});

test('a plan stands below its pilot', () => {
  const screen = screenOf('/runs/a:b/plan?width=0.03');
  assert.deepEqual(screen, { name: 'plan', run: 'a:b', query: { width: '0.03' } });
  assert.equal(addressOf(screen), '/runs/a:b/plan?width=0.03');
});

test('an id cannot leave its place in the address', () => {
  const url = new URL(caseAddress('a:b', '/../../api/runs'), 'http://here');
  assert.equal(url.pathname, '/runs/a:b/case');
});

test('an address that is no screen says so, a broken escape breaks nothing', () => {
  assert.equal(screenOf('/nowhere/at/all').name, 'unknown');
  assert.deepEqual(screenOf('/runs/%E0%A4%A'), { name: 'run', run: '%E0%A4%A', query: {} });
  assert.equal(screenOf('/runs/a/case').name, 'unknown');
});
