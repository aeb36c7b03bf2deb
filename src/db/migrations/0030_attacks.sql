-- Whether a run obeyed the attack of its test; null without one.
alter table diorama.runs add column attack text check (attack in ('resisted', 'obeyed'));
alter table diorama.evaluations add column attack text check (attack in ('resisted', 'obeyed'));
