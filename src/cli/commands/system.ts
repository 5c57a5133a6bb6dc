import { systemLicences, systemShow } from '../../engine/operation/operations/system.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { formatBytes, formatTime } from '../../terminal/output/format.ts';

const add: AddGroup = (group, shell) => {
  const command = operationCommands(group, shell);

  command(systemShow, {
    usage: 'show',
    show({ components, disks, certificates, ...versions }, { out }) {
      const { startedAt, memoryBytes, ...rest } = versions;
      out.object({ ...rest, started: formatTime(startedAt), memory: formatBytes(memoryBytes) });
      out.list(components, [
        { title: 'component', of: (row) => row.name },
        { title: 'state', of: (row) => row.state },
        { title: 'address', of: (row) => row.address },
        { title: 'why', of: (row) => row.reason },
      ]);
      out.list(disks, [
        { title: 'disk', of: (row) => row.directory },
        { title: 'holds', of: (row) => row.holds.join(', ') },
        { title: 'free', of: (row) => (row.freeBytes === null ? '' : formatBytes(row.freeBytes)) },
        { title: 'of', of: (row) => (row.totalBytes === null ? '' : formatBytes(row.totalBytes)) },
      ]);
      if (certificates.length === 0) return;
      out.list(certificates, [
        { title: 'server', of: (row) => row.server },
        { title: 'setting', of: (row) => row.setting },
        { title: 'certificate of', of: (row) => row.subject },
        { title: 'ends', of: (row) => formatTime(row.validTo) },
        { title: 'problem', of: (row) => row.problem },
      ]);
    },
  });
  command(systemLicences, {
    usage: 'licences',
    columns: [
      { title: 'package', of: (row) => row.name },
      { title: 'version', of: (row) => row.version },
      { title: 'licence', of: (row) => row.licence },
    ],
  });
};
export default add;
