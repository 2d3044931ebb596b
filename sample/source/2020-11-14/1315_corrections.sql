use employees;

-- A delete and a new insert of one key in one transaction.
set timestamp = unix_timestamp('2020-11-14 12:30:00');
begin;
delete from employees where emp_no = 10010;
insert into employees values (10010, '1971-05-06', 'Peter', 'O''Connell', 'M', '2020-11-14');
commit;

-- Inserted and deleted again before DMS wrote its next file.
set timestamp = unix_timestamp('2020-11-14 13:00:00');
insert into employees values (10099, '1999-09-09', 'Test', 'Entry', 'M', '2020-11-14');
set timestamp = unix_timestamp('2020-11-14 13:00:20');
delete from employees where emp_no = 10099;

use retail;

-- An update to NULL, and one from NULL.
set timestamp = unix_timestamp('2020-11-14 12:00:00');
update product set description = null where product_id = 1;
update product set weight = 1.275, description = 'Whistles' where product_id = 12;

set timestamp = unix_timestamp('2020-11-14 12:05:00');
begin;
delete from productorder where order_id in (5003, 5004);
insert into productorder values
    (5003, 7, 4, 1, 35.10, '2020-11-14 12:04:30.000000', '10 % off');
commit;

set timestamp = unix_timestamp('2020-11-14 13:10:11');
update store set city = 'Geneva' where store_id = 2;
