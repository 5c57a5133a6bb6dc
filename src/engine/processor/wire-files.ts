import { create } from '@bufbuild/protobuf';
import type { ResultFile } from '../request/request.ts';
import { ResultFileSchema } from '../request/request_pb.ts';
import type { WireFile } from './host-protocol.ts';

export function toWire(file: ResultFile): WireFile {
  if (file.blob !== '') return { name: file.name, blob: { hash: file.blob, size: Number(file.size) } };
  return { name: file.name, content: file.content };
}

export function fromWire(file: WireFile): ResultFile {
  if ('blob' in file) {
    return create(ResultFileSchema, { name: file.name, blob: file.blob.hash, size: BigInt(file.blob.size) });
  }
  // The pipe may hand over a Buffer; a plain view keeps comparisons and encoding simple.
  const { buffer, byteOffset, byteLength } = file.content;
  const content = new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
  return create(ResultFileSchema, { name: file.name, content, size: BigInt(content.length) });
}
