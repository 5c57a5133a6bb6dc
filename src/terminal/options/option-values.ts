import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { reasonOf } from '../../engine/files/system-error.ts';
import { messageOf } from '../../engine/ground/errors.ts';

/** Readers of option values. They report a refused value as wrong usage. */

export function wholeNumber(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(number) || number < 0) {
    throw new InvalidArgumentError('it must be a whole number, 0 or more.');
  }
  return number;
}

export function anyNumber(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) throw new InvalidArgumentError('it must be a number.');
  return number;
}

/** A reader of whole numbers from one limit to the other. */
export function numberBetween(from: number, to: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (text.trim() !== '' && Number.isInteger(number) && number >= from && number <= to) return number;
    throw new InvalidArgumentError(`it must be a number from ${from} to ${to}.`);
  };
}

export function commaList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** `10`, `10k`, `1.5M`: bytes, in powers of 1000. */
export function byteCount(text: string): number {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmg]?)b?$/i.exec(text.trim()) ?? [];
  if (digits === '') throw new InvalidArgumentError('it must be a size such as 500, 10k or 1.5M.');
  return Math.round(Number(digits) * 1000 ** ' kmg'.indexOf(unit.toLowerCase() || ' '));
}

export function jsonObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch (error) {
    throw new InvalidArgumentError(`it is not JSON: ${messageOf(error)}.`);
  }
  throw new InvalidArgumentError('it must be a JSON object.');
}

/** The text itself; @FILE stands for the content of a file, @- for standard input. */
export function textOrFile(text: string): string {
  if (!text.startsWith('@')) return text;
  try {
    return readFileSync(text === '@-' ? 0 : text.slice(1), 'utf8');
  } catch (error) {
    throw new InvalidArgumentError(`the file can't be read: ${reasonOf(error)}.`);
  }
}
