use employees;

set timestamp = unix_timestamp('2020-11-15 17:00:00');
update salaries set salary = salary + 500 where emp_no between 10004 and 10008;
delete from salaries where to_date < '2020-01-01' and emp_no between 10030 and 10032;

-- The same row changed in two transactions within one second.
set timestamp = unix_timestamp('2020-11-15 17:30:30');
update employees set first_name = 'Chloe' where emp_no = 10007;
update employees set last_name = 'Lefevre' where emp_no = 10007;

use retail;

set timestamp = unix_timestamp('2020-11-15 16:20:00');
delete from product where product_id = 8;
delete from productorder where product_id = 8;

set timestamp = unix_timestamp('2020-11-15 17:59:00');
insert into productorder values
    (5042, 13, 3, 1, 74.25, '2020-11-15 17:58:59.999999', 'back\\slash, "quotes", comma');
update productorder set note = '' where order_id = 5041;
