import { type Page, page } from './page.ts';

/** The page of the one-time link, which asks for the name and password of the first administrator. */
export function setupPage(open: boolean): Page {
  const title = 'Pismak: first administrator';
  if (!open) {
    const body = `<main><h1>This link is used up</h1><p>An administrator already exists, and can add more users.
      <a href="/docs">API documentation</a></p></main>`;
    return page({ title, body });
  }
  return page({ title, body: form, script });
}

const form = `<main><h1>First administrator</h1>
<p id="intro">Nobody can sign in yet. Choose the name and the password of the first administrator.</p>
<form id="claim">
<label>Name <input name="name" autocomplete="username" autocapitalize="none" required maxlength="64"></label>
<label>Password, at least 10 characters
<input name="password" type="password" autocomplete="new-password" required minlength="10"></label>
<label>Repeat the password <input name="again" type="password" autocomplete="new-password" required></label>
<button>Create</button><p role="status" id="status"></p></form>
<p id="next" hidden>Sign in with this name and password, or see the <a href="/docs">API documentation</a>.</p>
<noscript><p>This page needs JavaScript to send the form; <code>pismak user create</code> does the same.</p></noscript>
</main>`;

// The token comes after the #, so it reaches no server log. The page removes it from the address bar at once.
const script = `
const token = location.hash.slice(1);
history.replaceState(null, '', location.pathname);
const form = document.getElementById('claim');
const status = document.getElementById('status');
const say = (text) => { status.textContent = text; };
// A link pasted into this tab changes only the part after the #, so the browser does not reload the page.
addEventListener('hashchange', () => location.reload());
if (!token) say('The link is incomplete: open the full link that the terminal shows.');
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { name, password, again } = Object.fromEntries(new FormData(form));
  if (password !== again) return say('The two passwords differ.');
  try {
    const response = await fetch('/api/v1/setup/claim', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, name, password }),
    });
    const answer = await response.json();
    if (!response.ok) return say(answer.error.message);
    document.getElementById('intro').hidden = true;
    form.replaceChildren(status);
    say('Administrator ' + answer.name + ' is ready, and this link is used up.');
    document.getElementById('next').hidden = false;
  } catch {
    say('The server could not be reached; is it still running?');
  }
});
`;
