// What an offer says of itself, and what is asked of the server for it. Pure.
import type { Offer, SheetRequest } from '../../api/types';

// A question of one's own about the answers of a run, and not one of its figures.
export const isOwn = ({ kind, figure }: Offer): boolean => kind === 'rubric' && figure === null;

export function kindWords(offer: Offer): string {
  const { kind, figure, scale } = offer;
  if (isOwn(offer)) return 'Yes or no, a rating, or classes of your own';
  if (kind === 'pair') return `Pairs: which answer is better${figure === null ? '' : ', as the judge was asked'}`;
  if (kind === 'rating') return `Ratings${scale ? ` from ${scale[0]} to ${scale[1]}` : ''} of what the judge has scored`;
  return kind === 'label' ? 'Classes' : 'Yes or no, of what the judge has scored';
}

// What is asked where the question is left empty.
export function placeholderOf(offer: Offer): string {
  if (offer.question) return offer.question;
  if (isOwn(offer)) return 'Does the answer …?';
  return offer.kind === 'pair' && offer.figure === null ? 'Which answer is better?' : 'as the judge was asked';
}

export interface OwnAnswer { kind: 'rubric' | 'rating' | 'label'; low: string; high: string; labels: string }
export const noOwn: OwnAnswer = { kind: 'rubric', low: '1', high: '5', labels: '' };
export const ownLabels = ({ labels }: OwnAnswer): string[] => labels.split('\n').map((line) => line.trim()).filter(Boolean);

export interface Choices { count: number; question: string; pair: [string, string]; own: OwnAnswer }

export function requestOf(offer: Offer, { count, question, pair, own }: Choices): SheetRequest {
  const variants = offer.variants ?? [];
  const answered: Pick<SheetRequest, 'kind' | 'figure' | 'scale' | 'labels'> = isOwn(offer)
    ? { kind: own.kind, ...(own.kind === 'rating' ? { scale: [Number(own.low), Number(own.high)] } : own.kind === 'label' ? { labels: ownLabels(own) } : {}) }
    : { kind: offer.kind, ...(offer.figure ? { figure: offer.figure } : {}), ...(offer.scale ? { scale: offer.scale } : {}), ...(offer.labels.length > 0 ? { labels: offer.labels } : {}) };
  return {
    ...answered, count, ...(variants.length > 1 ? { variants: pair } : variants.length === 1 ? { variants } : {}),
    ...(question.trim() ? { question: question.trim() } : {}),
  };
}
