-- No change in store on this date.
use employees;

set timestamp = unix_timestamp('2020-11-15 07:30:00');
update departments set dept_name = 'People' where dept_no = 'd003';
insert into departments values ('d010', 'Data');

-- One employee moves: the old place is deleted, the new one inserted.
set timestamp = unix_timestamp('2020-11-15 07:31:00');
begin;
delete from dept_emp where emp_no = 10005;
insert into dept_emp values (10005, 'd010', '2020-11-15', '9999-01-01');
commit;

-- An employee deleted yesterday comes back.
set timestamp = unix_timestamp('2020-11-15 07:45:00');
insert into employees values (10020, '1962-08-16', 'Omar', 'Haddad', 'M', '2020-11-15');

use retail;

set timestamp = unix_timestamp('2020-11-15 07:50:00');
insert into product values
    (13, 'Picnic basket', 'home', 74.25, 2.3, 'Plates, cups and a cloth, for "four"');
update product set price = round(price * 1.05, 2) where category = 'kitchen';
