/** What the guestbook keeps while an engine is open. What must outlast it is in tables. */
export class GuestbookState {
  visits = 0;

  close(): void {}
}
